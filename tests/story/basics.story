story nodes register and jobs run
given a manager
given a NodeSet one of 2 nodes
then srun prints the names of the 2 nodes of one
then within 5 s the scale of NodeSet one is 2
then within 5 s NodeSet one has an Event SuccessfulCreate
when NodeSet one is deleted
then within 120 s NodeSet one is gone

# Acceptance: removal-12
story a scale-in waits for the busy node and takes idle ones first
given a manager
given a NodeSet two of 3 nodes
given a job on two-2
when NodeSet two is scaled to 1
then within 30 s NodeSet two has 1 pod
then pod two-2 is still the same
when NodeSet two is scaled to 0
then within 10 s NodeSet two is draining
then for 3 s every job runs in the pod in which it started
when every job may end
then within 40 s job 1 has ended by itself
then within 90 s NodeSet two has 0 pods
when NodeSet two is deleted
then within 60 s NodeSet two is gone

story a deletion drains first
given a manager
given a NodeSet three of 2 nodes
given a job on three-0
when NodeSet three is deleted
then for 5 s every job runs in the pod in which it started
when every job may end
then within 40 s job 1 has ended by itself
then within 120 s NodeSet three is gone

# Acceptance: update-6
story a rolling update keeps running jobs
given a manager
given a NodeSet four of 3 nodes
given a job on four-1
when the template of NodeSet four changes
then for 5 s every job runs in the pod in which it started
when every job may end
then within 60 s job 1 has ended by itself
then within 120 s NodeSet four is up to date with 3 pods
when NodeSet four is deleted
then within 120 s NodeSet four is gone

# Acceptance: removal-8
story a drain of an administrator stays
given a manager
given a NodeSet five of 2 nodes
given an administrator drains five-0 for "bad disk"
when NodeSet five is scaled to 3
then within 60 s NodeSet five has 3 pods
when NodeSet five is scaled to 2
then within 60 s NodeSet five has 2 pods
then node five-0 is drained for "bad disk"
when an administrator resumes five-0
when NodeSet five is deleted
then within 120 s NodeSet five is gone

# Acceptance: cluster-3
story a bad token and its repair show in the Cluster
given a manager
when the token is spoilt
then within 90 s the Cluster is not ready for the reason TokenRefused
when the token is repaired
then within 40 s the Cluster is ready
