/** A title for a text that has none: `docs/getting_started.md` → "Getting started". Names of source files stay as they are. */
export function readableName(name: string, isProse: boolean): string {
  const base = name.split(/[\\/]/).findLast((part) => part !== '') ?? name;
  if (!isProse) return base;
  const stem = base.replace(/\.[a-z0-9]{1,10}$/i, '');
  const words = (stem === '' ? base : stem).replace(/[_\s]+|-+(?=[^\d]|$)/g, ' ').trim();
  return words === '' ? base : words.charAt(0).toUpperCase() + words.slice(1);
}
