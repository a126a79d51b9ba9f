story a slow list of nodes holds nothing up
given a manager
given a list of nodes that takes 6 s
given a NodeSet slo of 2 nodes
given a NodeSet mute of 1 pod in which no slurmd runs
given a user cordons pod slo-1
then within 60 s node slo-1 is draining or drained
when a user uncordons pod slo-1
then within 60 s node slo-1 is idle and takes jobs
when NodeSet mute is scaled to 0
then within 90 s NodeSet mute has 0 pods
when the template of NodeSet slo changes
then within 120 s NodeSet slo is up to date with 2 pods
then within 60 s node slo-0 is idle and takes jobs
then within 60 s node slo-1 is idle and takes jobs
when NodeSet slo is deleted
when NodeSet mute is deleted
then within 120 s NodeSet slo is gone
then within 120 s NodeSet mute is gone
