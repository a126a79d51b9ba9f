# Acceptance: removal-15
story a suspended job keeps its pod
given a manager
given a NodeSet sin of 2 nodes
given a NodeSet sout of 1 node
given a job on sin-1
given a job on sout-0
when job 1 is suspended
when job 2 is suspended
when NodeSet sin is scaled to 0
when the template of NodeSet sout changes
then for 8 s every job is suspended in the pod in which it started
then within 90 s NodeSet sin has 1 pod
when NodeSet sin is deleted
then for 5 s every job is suspended in the pod in which it started
when job 1 is resumed
when job 2 is resumed
then within 20 s every job runs in the pod in which it started
when every job may end
then within 60 s every job has ended by itself
then within 120 s NodeSet sin is gone
then within 90 s NodeSet sout is up to date with 1 pod
when NodeSet sout is deleted
then within 120 s NodeSet sout is gone
