import { useParams, useSearch } from '@tanstack/react-router';
import '../api/zod-without-eval.ts';
import { AgentEditor } from '../screens/agents/editor/agent-editor.tsx';

/** The editor of the agent in the address; another agent gets a fresh one. */
export function AgentScreen() {
  const { id } = useParams({ from: '/a/$id' });
  const { tab = 'prompt' } = useSearch({ from: '/a/$id' });
  return <AgentEditor key={id} id={id} tab={tab} />;
}
