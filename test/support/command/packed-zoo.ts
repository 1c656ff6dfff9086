import { join } from 'node:path';
import { inject } from 'vitest';

/** Returns the project with the installed package. All test files share it, so none may change it. */
export async function packedProject(): Promise<{ project: string; script: string }> {
  const response = await fetch(`${inject('setupDoor')}/packed`);
  const text = await response.text();
  if (!response.ok) throw new Error(`The package cannot be installed: ${text}`);
  const { project } = JSON.parse(text);
  return { project, script: join(project, 'node_modules/agent-zoo/bin/zoo.js') };
}
