import { HubError } from '../base/hub-error.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, printLine } from '../cli/terminal/context.ts';
import { countOf } from '../cli/terminal/progress-bar.ts';

/** `zoo connector remove`: what the config no longer names, or what the web app added. */
export function removeConnector(context: CliContext, source: string, options: ConfigOption): Promise<void> {
  return withHub(context, options, async ({ knowledge }) => {
    const sources = await knowledge.sources();
    const found = sources.find((each) => each.source === source) ?? onlyOne(sources, source);
    if (!found) {
      const labels = sources.map((each) => each.source).join(', ');
      throw new HubError('NOT_FOUND', `There is no source "${source.slice(0, 80)}". There are: ${labels || 'none'}.`);
    }
    await knowledge.removeSource(found.source);
    printLine(context, `Removed: ${found.source}, with ${countOf(found.documents, 'document')}`);
  });
}

/** A name alone, where one source has it. */
function onlyOne<T extends { name: string }>(sources: readonly T[], name: string): T | undefined {
  const found = sources.filter((each) => each.name === name);
  return found.length === 1 ? found[0] : undefined;
}
