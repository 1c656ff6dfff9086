import { Facet } from '@codemirror/state';
import type { TemplateWord } from './template-words.ts';

/** What the completion of a template offers. */
export const offeredWords = Facet.define<readonly TemplateWord[], readonly TemplateWord[]>({
  combine: ([words]) => words ?? [],
});
