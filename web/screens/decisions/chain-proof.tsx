import { ChevronRight, ShieldCheck } from 'lucide-react';
import type { DecisionBody } from '../../../src/decisions/decisions.contract.ts';
import { CopyButton } from '../../ui/copy-button.tsx';

/** Where an entry stands in its writer's chain, and how to check it. */
export function ChainProof({ entry: { chain, chainNo, hash } }: { entry: DecisionBody }) {
  return (
    <details className="group mt-5 rounded-lg border border-line">
      <summary className="flex cursor-pointer list-none items-center gap-2 rounded-lg px-3 py-2 text-sm hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ShieldCheck aria-hidden className="size-4 text-faint" />
        <span className="flex-1">Place in the chain</span>
        <span className="min-w-0 max-w-32 truncate font-mono text-faint text-xs">{hash.slice(0, 12)}</span>
        <ChevronRight aria-hidden className="size-3.5 text-faint transition-transform group-open:rotate-90" />
      </summary>
      <div className="border-line border-t px-3 py-2.5 text-sm">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1.5 text-xs">
          <dt className="text-muted">Chain</dt>
          <dd className="col-span-2 break-all font-mono">
            {chain}, entry {chainNo.toLocaleString('en')}
          </dd>
          <dt className="text-muted">Hash</dt>
          <dd className="break-all font-mono">{hash}</dd>
          <CopyButton iconOnly label="Copy hash" text={hash} />
        </dl>
        <p className="mt-2 text-pretty text-muted text-xs">
          The hash covers this entry, those that were written with it, and the hash before them.{' '}
          <code className="font-mono">zoo log verify</code> reads every chain from its start: an entry that was changed
          or taken out no longer fits.
        </p>
      </div>
    </details>
  );
}
