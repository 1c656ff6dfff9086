import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ListedPrice, ProviderInfo } from '../../../src/models/language-models.ts';
import { useApplySettings } from '../../api/settings-queries.ts';
import { priceWords } from '../../parts/runs/usage-words.ts';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { FileBadge } from './choice-section.tsx';

export interface PriceListProps {
  provider: ProviderInfo;
  /** Called with `provider/model`, or with `provider/` for a new price. */
  onEdit: (model: string) => void;
}

/** Lists the prices of a provider's models. */
export function PriceList({ provider: { name, prices }, onEdit }: PriceListProps) {
  return (
    <div className="border-line border-t px-4 py-3">
      {prices.length === 0 ? (
        <p className="mb-2 text-muted text-sm">
          No prices yet. Without a price, the cost of a model is unknown, and budgets that stop in dollars refuse it.
        </p>
      ) : (
        <ul
          aria-label={`Prices of ${name}`}
          className="mb-2 max-h-80 overflow-y-auto rounded-lg border border-line bg-sunken/40"
        >
          {prices.map((price) => (
            <PriceRow key={price.model} provider={name} price={price} onEdit={() => onEdit(`${name}/${price.model}`)} />
          ))}
        </ul>
      )}
      <Button
        size="sm"
        icon={<Plus aria-hidden />}
        aria-label={`Add price for ${name}`}
        onClick={() => onEdit(`${name}/`)}
      >
        Add price
      </Button>
    </div>
  );
}

function PriceRow({ provider, price, onEdit }: { provider: string; price: ListedPrice; onEdit: () => void }) {
  const apply = useApplySettings();
  const [isRemoving, setIsRemoving] = useState(false);
  const { model: modelId, from, version, input, output, cachedInput } = price;
  const model = `${provider}/${modelId}`;
  const set = { input, output, ...(cachedInput !== undefined && { cachedInput }) };
  // Without the callbacks of `mutate`: they go with the row, which may be gone before the reply.
  const restore = () =>
    apply
      .mutateAsync({ change: { kind: 'price', model, price: set, version: null }, hash: null })
      .catch((error: unknown) => showError('The price could not be restored', error));
  const remove = () =>
    apply.mutateAsync({ change: { kind: 'price', model, price: null, version }, hash: null }).then(
      () => showToast(`Removed the price of ${modelId}`, { action: { label: 'Undo', onClick: () => void restore() } }),
      (error: unknown) => showError('The price could not be removed', error),
    );
  return (
    <li className="flex flex-wrap items-center gap-x-2 border-line border-t px-2.5 py-0.5 first:border-t-0">
      <code className="min-w-0 flex-1 basis-40 break-all font-mono text-xs">{modelId}</code>
      {from === 'config' && <FileBadge />}
      <span className="text-muted text-xs tabular-nums">
        {priceWords(input)} in · {priceWords(output)} out
        {cachedInput !== undefined && ` · ${priceWords(cachedInput)} cached`} per million tokens
      </span>
      <IconButton size="sm" label={`Change the price of ${modelId}`} icon={<Pencil aria-hidden />} onClick={onEdit} />
      <IconButton
        size="sm"
        label={`Remove the price of ${modelId}`}
        icon={<Trash2 aria-hidden />}
        disabled={apply.isPending}
        onClick={() => (from === 'config' ? setIsRemoving(true) : void remove())}
      />
      {isRemoving && (
        <ChangeDialog
          title={`Remove the price of ${modelId}?`}
          description="It is set in the config file. The cost of later calls is then unknown."
          submit="Show the change"
          danger
          change={() => ({ kind: 'price', model, price: null })}
          onClose={() => setIsRemoving(false)}
        />
      )}
    </li>
  );
}
