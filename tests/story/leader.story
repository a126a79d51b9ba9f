story of two managers one acts, and the other takes over
given two managers with leader election
given a NodeSet lead of 3 nodes
given a job of 40 s on lead-1
when NodeSet lead is scaled to 0
when the leading manager is killed
then within 20 s the other manager leads
then within 60 s every job has ended by itself
then within 30 s NodeSet lead has 0 pods
then never did two managers act at once
when NodeSet lead is deleted
then within 60 s NodeSet lead is gone
