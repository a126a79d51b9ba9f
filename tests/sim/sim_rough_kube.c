/* What pods and Kubernetes do beyond the everyday. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_rough.h"
#include "sim/sim_world.h"

#define SET "foo"

static const struct sim_list *all_pods(const struct sim_rough_one *r) { return &r->w->kube.store.of[RES_POD]; }

/* ---- names ---- */

/* A template whose slurmd calls itself otherwise than its pod. */
void rough_other_names_act(struct sim_rough_one *r)
{
	char image[40];
	snprintf(image, sizeof(image), "slurmd:%s-%d", sim_rand_chance(&r->rand, 500) ? "alt" : "own", (int)sim_rand_range(&r->rand, 0, 99));
	world_set_template_image(r->w, WORLD_NS, SET, image);
}

void rough_other_names_repair(struct sim_rough_one *r)
{
	world_set_template_image(r->w, WORLD_NS, SET, "slurmd:own");
	rough_other_names_after(r);
}

/* Slurm cannot say anything about pods of other names: whoever made them has to delete them. */
void rough_other_names_after(struct sim_rough_one *r)
{
	for (size_t i = 0; i < all_pods(r)->n; i++) {
		const struct sim_version *pod = all_pods(r)->at[i];
		if (!sim_other_name(pod) || sim_terminating(pod))
			continue;
		world_delete(r->w, RES_POD, pod->ns, pod->name);
		return; /* the list has changed: the next one in a while */
	}
}

/* An address is given to another pod soon after its pod has gone. */
void rough_few_addresses_set_up(struct sim_rough_one *r) { r->w->kubelet.addresses = 40; }
