story a deletion in the foreground waits for jobs
given a manager
given a NodeSet fg of 2 nodes
given a job on fg-1
then pod fg-1 has its Namespace as second owner
given pod fg-1 is as an older manager made it
then within 10 s pod fg-1 has its Namespace as second owner
then a deletion of NodeSet fg in the foreground is refused
given NodeSet fg may be deleted in the foreground
when NodeSet fg and its Cluster are deleted in the foreground
then within 20 s NodeSet fg has 1 pod
then for 3 s every job runs in the pod in which it started
when every job may end
then within 40 s every job has ended by itself
then within 120 s NodeSet fg is gone

story a deletion in the foreground waits for jobs also when no manager saw it begin
given a manager
given a NodeSet fgd of 2 nodes
given a job on fgd-1
given NodeSet fgd may be deleted in the foreground
when the manager is killed
when NodeSet fgd is deleted in the foreground
then within 20 s the garbage collector has done its part for NodeSet fgd
then for 3 s every job runs in the pod in which it started
when the manager is started
then for 3 s every job runs in the pod in which it started
when every job may end
then within 40 s every job has ended by itself
then within 120 s NodeSet fgd is gone

story a deletion that leaves the pods leaves nodes and jobs too
given a manager
given a NodeSet orf of 2 nodes
given a job on orf-1
when NodeSet orf is deleted so that its pods stay
then within 20 s NodeSet orf is gone and its pods are not asked for
then for 5 s every job runs in the pod in which it started
then node orf-0 is idle and takes jobs
when NodeSet orf of 2 nodes is created again
then within 20 s NodeSet orf is up to date with 2 pods
then pod orf-0 is still the same
then pod orf-1 is still the same
when the manager is killed
when NodeSet orf is deleted so that its pods stay
then within 20 s the garbage collector has done its part for NodeSet orf
when the manager is started
then within 20 s NodeSet orf is gone and its pods are not asked for
then for 5 s every job runs in the pod in which it started
then node orf-0 is idle and takes jobs
when NodeSet orf of 2 nodes is created again
then pod orf-0 is still the same
when every job may end
then within 60 s every job has ended by itself
when NodeSet orf is deleted
then within 120 s NodeSet orf is gone
