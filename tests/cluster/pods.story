story the cordon of a user outlives the roll-out of its pod
given a manager
given a NodeSet cor of 2 nodes
when a user cordons pod cor-1
then within 20 s node cor-1 is draining or drained
then within 5 s pod cor-1 shows the drain of its node and its reason
when the template of NodeSet cor changes
then within 120 s NodeSet cor is up to date with 2 pods
then within 60 s node cor-0 is idle and takes jobs
then node cor-1 is draining or drained
when a user uncordons pod cor-1
then within 60 s node cor-1 is idle and takes jobs
then within 5 s pod cor-1 shows that its node is idle
when NodeSet cor is deleted
then within 60 s NodeSet cor is gone

story pods of another controller keep their names
given a manager
given a StatefulSet nam of 2 pods
given a NodeSet nam of 2 pods beside it
then within 60 s pod nam-2 is of NodeSet nam
then within 60 s pod nam-3 is of NodeSet nam
then within 10 s NodeSet nam says NamesTaken
when NodeSet nam is deleted
then within 60 s NodeSet nam is gone
when the StatefulSet nam is removed

story a pod that ends at once is made again ever more slowly
given a manager
given a NodeSet fin of 1 pod that ends at once
then within 60 s NodeSet fin says PodsEnded
then for 15 s NodeSet fin has made 3 to 6 pods
when NodeSet fin is deleted
then within 30 s NodeSet fin is gone

story no pod takes the node of a slurmd that somebody else runs
given a manager
given a pod str of nobody whose slurmd calls itself bus-1
given a job on node bus-1 of pod str
given a NodeSet bus of 2 pods beside it
then within 30 s NodeSet bus has 1 pod
then within 30 s NodeSet bus says HostNameBusy
then for 15 s every job runs in the pod in which it started
when every job may end
then within 60 s every job has ended by itself
then for 10 s NodeSet bus has 1 pod
when the pod str of nobody is removed, and node bus-1
then within 90 s NodeSet bus has 2 pods
when NodeSet bus is deleted
then within 120 s NodeSet bus is gone
