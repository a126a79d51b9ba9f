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
