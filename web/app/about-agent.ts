import type { NavigateOptions } from '@tanstack/react-router';

/** Returns the target of an action, and chooses the agent whose editor is open for a new chat or run. */
export function aboutAgent(target: NavigateOptions, pathname: string): NavigateOptions {
  const id = /^\/a\/([^/]+)\/?$/.exec(pathname)?.[1];
  if (id === undefined) return target;
  const agent = decodeURIComponent(id);
  if (target.to === '/chat' && target.search === undefined) return { to: '/chat', search: { with: agent } };
  // The list then shows the runs of the same agent.
  if (target.to === '/runs' && target.search !== undefined) return { to: '/runs', search: { start: true, agent } };
  return target;
}
