import { EventChannel } from '../base/events.ts';
import { HubError } from '../base/hub-error.ts';
import type { ResourceContents } from '../tools/content.ts';
import type { ResourceInfo, ResourceProvider, ResourceTemplateInfo } from './resource.ts';

/** A change to the content of resources or to the list of resources. */
export interface ResourceChange {
  /** An address that ends with / means that any resource below it may have changed. */
  uris: readonly string[];
  listChanged: boolean;
}

export class ResourceRegistry {
  readonly #providers: readonly ResourceProvider[];
  readonly changes = new EventChannel<ResourceChange>();

  constructor(providers: readonly ResourceProvider[]) {
    this.#providers = providers;
  }

  async list(): Promise<ResourceInfo[]> {
    return (await Promise.all(this.#providers.map((provider) => provider.list()))).flat();
  }

  templates(): ResourceTemplateInfo[] {
    return this.#providers.flatMap((provider) => provider.templates?.() ?? []);
  }

  /** Throws NOT_FOUND if no provider has the address. */
  async read(uri: string): Promise<ResourceContents[]> {
    for (const provider of this.#providers) {
      const contents = await provider.read(uri);
      if (contents) return contents;
    }
    throw new HubError('NOT_FOUND', `There is no resource "${uri.slice(0, 200)}".`, {
      details: { uri: uri.slice(0, 200) },
    });
  }

  /** Asks only the providers of the template. */
  async complete(uriTemplate: string, variable: string, typed: string): Promise<string[]> {
    for (const provider of this.#providers) {
      if (!provider.templates?.().some((each) => each.uriTemplate === uriTemplate)) continue;
      const values = await provider.complete?.(uriTemplate, variable, typed);
      if (values && values.length > 0) return values;
    }
    return [];
  }
}
