/** Focuses a result and scrolls to it. */
export function focusResult(index: number): void {
  const link = document.querySelector<HTMLElement>(`[data-result="${index}"]`);
  link?.focus();
  link?.scrollIntoView({ block: 'nearest' });
}

export function resultCount(): number {
  return document.querySelectorAll('[data-result]').length;
}

/** Moves the focus between results, or back to the search box. Returns whether the key was handled. */
export function moveByKey(key: string, from: number): boolean {
  const last = resultCount() - 1;
  const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: last, Escape: -1 }[key];
  if (to === undefined || to > last) return false;
  if (to < 0) document.getElementById('knowledge-search')?.focus();
  else focusResult(to);
  return true;
}
