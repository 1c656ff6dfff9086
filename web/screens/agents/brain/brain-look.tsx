import { FileText, Flag, NotebookPen, Scale } from 'lucide-react';
import type { BrainEntryType } from '../../../../src/brain/brain.ts';
import type { BadgeTone } from '../../../ui/badge.tsx';

export const brainTypes: readonly BrainEntryType[] = ['decision', 'milestone', 'note', 'summary'];

export const brainLook: Record<BrainEntryType, { label: string; tone: BadgeTone; icon: typeof Flag; dot: string }> = {
  decision: { label: 'Decision', tone: 'violet', icon: Scale, dot: 'bg-violet-soft text-violet' },
  milestone: { label: 'Milestone', tone: 'accent', icon: Flag, dot: 'bg-accent-soft text-accent-text' },
  note: { label: 'Note', tone: 'warn', icon: NotebookPen, dot: 'bg-warn-soft text-warn' },
  summary: { label: 'Summary', tone: 'info', icon: FileText, dot: 'bg-info-soft text-info' },
};
