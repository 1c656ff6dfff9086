import { Facet } from '@codemirror/state';
import type { TemplateWord } from './template-words.ts';

/** The words a template's completion suggests. */
export const offeredWords = Facet.define<readonly TemplateWord[], readonly TemplateWord[]>({
  combine: ([words]) => words ?? [],
});
