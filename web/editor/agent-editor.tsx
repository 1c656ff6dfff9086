/** The editor of one agent. */
export function AgentEditor({ id, tab }: { id: string; tab: string }) {
  return (
    <p>
      {id} {tab}
    </p>
  );
}
