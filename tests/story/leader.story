story of two managers one acts, and the other takes over
given two managers with leader election
given a NodeSet lead of 3 nodes
given a job on lead-1
when NodeSet lead is scaled to 0
when the leading manager is killed
then within 20 s the other manager leads
then for 5 s every job runs in the pod in which it started
when every job may end
then within 60 s every job has ended by itself
then within 90 s NodeSet lead has 0 pods
then never did two managers act at once
when NodeSet lead is deleted
then within 120 s NodeSet lead is gone

story a manager that is told to end hands over at once
given two managers with leader election
given a NodeSet hand of 3 nodes
given a job on hand-2
when NodeSet hand is scaled to 1
when the template of NodeSet hand changes
when the leading manager is told to end
then within 5 s the other manager leads
then for 5 s every job runs in the pod in which it started
when every job may end
then within 60 s every job has ended by itself
then within 90 s NodeSet hand is up to date with 1 pod
then never did two managers act at once
when NodeSet hand is deleted
then within 120 s NodeSet hand is gone

story a manager that was frozen ends without acting
given two managers with leader election
given a NodeSet ice of 4 nodes
given a job on ice-1
when NodeSet ice is scaled to 0
then within 30 s NodeSet ice has 1 pod
when the leading manager is frozen
then within 25 s the other manager leads
then for 3 s every job runs in the pod in which it started
when every job may end
then within 90 s every job has ended by itself
then within 90 s NodeSet ice has 0 pods
when NodeSet ice is scaled to 2
when the frozen manager goes on
then within 5 s the frozen manager has ended and done nothing more
then within 60 s NodeSet ice has 2 ready pods
then never did two managers act at once
when NodeSet ice is deleted
then within 120 s NodeSet ice is gone
