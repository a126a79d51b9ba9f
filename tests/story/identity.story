story another Slurm that the Cluster names ends no job
given a manager
given another Slurm beside the first
given a NodeSet oth of 2 nodes
given a job on oth-1
when the Cluster names the other Slurm
when NodeSet oth is scaled to 0
then within 20 s the Cluster is not ready for the reason OtherSlurm
then for 20 s every job runs in the pod in which it started
then NodeSet oth has 2 pods
when the Cluster names its own Slurm again
then within 30 s the Cluster is ready
then for 5 s every job runs in the pod in which it started
when every job may end
then within 60 s every job has ended by itself
then within 90 s NodeSet oth has 0 pods
when NodeSet oth is deleted
then within 120 s NodeSet oth is gone
when the other Slurm is removed

story another Slurm behind the same address ends no job
given a manager
given another Slurm beside the first
given a NodeSet bea of 2 nodes
given a job on bea-1
when the Service leads to the other Slurm
then within 30 s the Cluster is not ready for the reason OtherSlurm
then for 70 s every job runs in the pod in which it started
then pod bea-0 is still the same
when the Service leads to its own Slurm again
then within 60 s the Cluster is ready
then for 5 s every job runs in the pod in which it started
when every job may end
then within 90 s every job has ended by itself
when NodeSet bea is deleted
then within 120 s NodeSet bea is gone
when the other Slurm is removed

story a node with a name of its own keeps its pod while its job runs
given a manager
given a NodeSet own of 2 nodes that call themselves alt- and their pod
given a job on node alt-own-1 of pod own-1
then for 70 s every job runs in the pod in which it started
when NodeSet own is scaled to 0
then for 15 s every job runs in the pod in which it started
when every job may end
then within 60 s every job has ended by itself
when NodeSet own is told to release its pods now
when NodeSet own is deleted
then within 120 s NodeSet own is gone
