import type { ResourceContents } from '../tools/content.ts';

/** Something a client can read by address. */
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

/** A family of resources. The hub's own and those registered by code have the same shape. */
export interface ResourceProvider {
  /** Only the resources it would list; a template covers the rest. */
  list(): Promise<ResourceInfo[]> | ResourceInfo[];
  templates?(): ResourceTemplateInfo[];
  /** Undefined when the address is not one of its own; NOT_FOUND when it is but nothing is there. */
  read(uri: string): Promise<ResourceContents[] | undefined> | ResourceContents[] | undefined;
  /** Values for a template's variable that begin with what was typed. */
  complete?(uriTemplate: string, variable: string, typed: string): Promise<string[]> | string[];
}
