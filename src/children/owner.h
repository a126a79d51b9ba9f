/* SPDX-License-Identifier: Apache-2.0 */
/* The NodeSet as the controller of its children. Pure. */
#ifndef CHILDREN_OWNER_H
#define CHILDREN_OWNER_H

#include "api/nodeset.h"
#include "json/build.h"
#include "object/metadata.h"

/* The reference to the NodeSet as controller. */
static inline struct jval *nodeset_reference(struct jdoc *d, const struct nodeset *n)
{
	return owner_reference(d, RES_NODESET, n->name, n->uid, true);
}

#endif
