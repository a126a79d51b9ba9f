story an object that is nested too deep stops itself and nobody else
given a manager
given a NodeSet dee of 2 nodes
given a NodeSet vic of 2 nodes
given a job on dee-1
then NodeSet vic can be given no other Cluster
when NodeSet dee is nested 200 levels deep
then within 20 s NodeSet dee says NestedTooDeep
when NodeSet dee is scaled to 0
when NodeSet vic is scaled to 1
then within 60 s NodeSet vic has 1 pod
when the manager is killed
when the manager is started
when NodeSet vic is scaled to 2
then within 60 s NodeSet vic has 2 ready pods
then for 3 s every job runs in the pod in which it started
then for 3 s NodeSet dee has 2 pods
when NodeSet dee is deleted
then within 60 s NodeSet dee has 1 pod
then for 3 s every job runs in the pod in which it started
when every job may end
then within 60 s every job has ended by itself
then within 60 s NodeSet dee is gone
when NodeSet vic is deleted
then within 60 s NodeSet vic is gone

story objects as large as the API server takes stop themselves and nobody else
given a manager
given a NodeSet big of 2 nodes
given a NodeSet vic of 2 nodes
given a job on big-1
when NodeSet big is 1200 kB large
when 20 NodeSets of 1200 kB are made
then within 20 s NodeSet big says TooLarge
when NodeSet big is scaled to 0
when NodeSet vic is scaled to 1
then within 60 s NodeSet vic has 1 pod
then the manager has never needed more than 128 MB
when the manager is killed
when the manager is started
when NodeSet vic is scaled to 2
then within 60 s NodeSet vic has 2 ready pods
then the manager has never needed more than 128 MB
then for 3 s every job runs in the pod in which it started
when the large NodeSets are deleted
when NodeSet big is deleted
then within 60 s NodeSet big has 1 pod
then for 3 s every job runs in the pod in which it started
when every job may end
then within 60 s every job has ended by itself
then within 60 s NodeSet big is gone
when NodeSet vic is deleted
then within 60 s NodeSet vic is gone

story a pod that has the host name of another machine has nothing done to it
given a manager
given a pod box of nobody whose slurmd calls itself metal-1
given a NodeSet lie of 2 nodes
given a pod lie-2 with the labels of NodeSet lie and the host name metal-1
then for 10 s node metal-1 is idle and takes jobs
then pod lie-2 is of nobody
when NodeSet lie is scaled to 0
then within 60 s NodeSet lie has 1 pod
then for 10 s node metal-1 is idle and takes jobs
then pod lie-2 is of nobody
when pod lie-2 of nobody is removed
when the pod box of nobody is removed, and node metal-1
when NodeSet lie is deleted
then within 60 s NodeSet lie is gone
