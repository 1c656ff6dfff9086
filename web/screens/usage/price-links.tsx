import { Link } from '@tanstack/react-router';

const linkClass = 'text-accent-text underline underline-offset-2 hover:decoration-2';

/** Leads to the form for the price of a model. */
export function PriceLink({ model, children }: { model: string; children: string }) {
  return (
    <Link to="/models" search={{ price: model }} aria-label={`Set price of ${model}`} className={linkClass}>
      {children}
    </Link>
  );
}

/** Leads to the form for the price of each model. */
export function PriceLinks({ models }: { models: readonly string[] }) {
  return (
    <ul aria-label="Models of unknown price" className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
      {models.map((model) => (
        <li key={model} className="[overflow-wrap:anywhere]">
          <PriceLink model={model}>{`Set price of ${model}`}</PriceLink>
        </li>
      ))}
    </ul>
  );
}
