/** The tools with which an agent keeps its own memory. */
export const brainScope = [
  'agent_zoo_create_brain_entry',
  'agent_zoo_update_brain_entry',
  'agent_zoo_delete_brain_entry',
  'agent_zoo_query_brain_entries',
] as const;
