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
