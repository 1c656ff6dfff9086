import { join } from 'node:path';
import { askSetup } from '../setup-door.ts';

/** Returns the project with the installed package. All test files share it, so none may change it. */
export async function packedProject(): Promise<{ project: string; script: string }> {
  const { project } = (await askSetup('packed')) as { project: string };
  return { project, script: join(project, 'node_modules/agent-zoo/bin/zoo.js') };
}
