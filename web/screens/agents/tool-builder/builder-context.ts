import { createContext, useContext } from 'react';
import type { NodeField } from './find-problems.ts';
import type { SchemaNode } from './schema-node.ts';

/** What every part of the builder needs, however deep it lies. */
export interface Builder {
  editable: boolean;
  change: (edit: (root: SchemaNode) => SchemaNode) => void;
  problemAt: (id: string, field: NodeField) => string | undefined;
  /** A name begins to be typed, and is left. */
  onNaming: (id: string) => void;
  onNamed: (id: string, name: string) => void;
}

export const BuilderContext = createContext<Builder | null>(null);

export function useBuilder(): Builder {
  const builder = useContext(BuilderContext);
  if (!builder) throw new Error('Parameters are built inside a BuilderContext');
  return builder;
}
