# Acceptance: removal-16
story without slurmrestd pods are made but never removed
given a manager
given a NodeSet six of 2 nodes
given a job on six-1
when slurmrestd is stopped
then within 40 s the Cluster is not ready
then within 40 s NodeSet six says ClusterNotReady
when NodeSet six is scaled to 3
then within 60 s NodeSet six has 3 ready pods
when NodeSet six is scaled to 1
then within 20 s the newest spec of NodeSet six is observed
then NodeSet six has 3 pods
then pod six-1 is still the same
when slurmrestd is started
then within 60 s the Cluster is ready
then within 120 s NodeSet six says AsExpected
then within 120 s NodeSet six has 1 pod
when every job may end
then within 90 s job 1 has ended by itself
when NodeSet six is deleted
then within 120 s NodeSet six is gone

story slurmrestd is away for a minute during a scale-in and a roll-out
given a manager
given a NodeSet min of 3 nodes
given a NodeSet mout of 2 nodes
given a job on min-2
given a job on mout-1
when NodeSet min is scaled to 0
when the template of NodeSet mout changes
when slurmrestd is stopped
then for 60 s every job runs in the pod in which it started
when slurmrestd is started
when every job may end
then within 90 s every job has ended by itself
then within 120 s NodeSet min has 0 pods
then within 120 s NodeSet mout is up to date with 2 pods
when NodeSet min is deleted
when NodeSet mout is deleted
then within 120 s NodeSet min is gone
then within 120 s NodeSet mout is gone

story slurmctld is killed during a scale-in, a roll-out and a deletion
given a manager
given a NodeSet cin of 3 nodes
given a NodeSet cout of 2 nodes
given a NodeSet cdel of 1 node
given a job on cin-2
given a job on cout-0
given a job on cdel-0
when NodeSet cin is scaled to 1
when the template of NodeSet cout changes
when NodeSet cdel is deleted
when slurmctld is killed
then within 60 s every job runs in the pod in which it started
then for 5 s every job runs in the pod in which it started
when every job may end
then within 90 s every job has ended by itself
then within 120 s NodeSet cin has 1 pod
then within 120 s NodeSet cout is up to date with 2 pods
then within 120 s NodeSet cdel is gone
when NodeSet cin is deleted
when NodeSet cout is deleted
then within 120 s NodeSet cin is gone
then within 120 s NodeSet cout is gone

story the API server is killed during a scale-in, a roll-out and a deletion
given a manager
given a NodeSet ain of 3 nodes
given a NodeSet aout of 2 nodes
given a NodeSet adel of 1 node
given a job on ain-2
given a job on aout-0
given a job on adel-0
when NodeSet ain is scaled to 0
when the template of NodeSet aout changes
when NodeSet adel is deleted
when the API server is killed
then for 5 s every job runs in the pod in which it started
when every job may end
then within 90 s every job has ended by itself
then within 120 s NodeSet ain has 0 pods
then within 120 s NodeSet aout is up to date with 2 pods
then within 120 s NodeSet adel is gone
when NodeSet ain is deleted
when NodeSet aout is deleted
then within 120 s NodeSet ain is gone
then within 120 s NodeSet aout is gone
