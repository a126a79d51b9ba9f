# Jobs end one after another, so that scale-in, roll-out and deletion are under way as long as the manager is killed.

story the manager is killed at any point of a scale-in
given a manager
given a NodeSet kin of 5 nodes
given a job of 14 s on kin-1
given a job of 22 s on kin-4
given a job of 30 s on kin-2
when NodeSet kin is scaled to 0
when the manager is killed at random moments, 20 times or more, until every job has ended by itself
then within 120 s NodeSet kin has 0 pods
when NodeSet kin is deleted
then within 120 s NodeSet kin is gone

story the manager is killed at any point of a roll-out
given a manager
given a NodeSet kout of 4 nodes
given a job of 12 s on kout-3
given a job of 30 s on kout-1
when the template of NodeSet kout changes
when the manager is killed at random moments, 20 times or more, until every job has ended by itself
then within 120 s NodeSet kout is up to date with 4 pods
when NodeSet kout is deleted
then within 120 s NodeSet kout is gone

story the manager is killed at any point of a deletion
given a manager
given a NodeSet kdel of 4 nodes
given a job of 12 s on kdel-0
given a job of 25 s on kdel-2
when NodeSet kdel is deleted
when the manager is killed at random moments, 20 times or more, until every job has ended by itself
then within 120 s NodeSet kdel is gone
