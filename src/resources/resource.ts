import type { ResourceContents } from '../tools/content.ts';

/** Something that a client can read by its address. */
export interface ResourceInfo {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

export interface ResourceTemplateInfo {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

/** A family of resources: one of the hub's own, or one registered by code. */
export interface ResourceProvider {
  /** Returns the resources to show in lists; templates cover the rest. */
  list(): Promise<ResourceInfo[]> | ResourceInfo[];
  templates?(): ResourceTemplateInfo[];
  /** Returns undefined for an address of another provider. Throws NOT_FOUND if its own address has no resource. */
  read(uri: string): Promise<ResourceContents[] | undefined> | ResourceContents[] | undefined;
  /** Returns values for a template's variable that begin with the typed text. */
  complete?(uriTemplate: string, variable: string, typed: string): Promise<string[]> | string[];
}
