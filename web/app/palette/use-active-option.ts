import { useCallback } from 'react';

/**
 * Returns a ref for the root of a cmdk list. The input and the list then always name the option that is selected: cmdk itself
 * keeps naming an element that is gone when the options are replaced after a search.
 */
export function useActiveOption() {
  return useCallback((root: HTMLElement | null) => {
    if (!root) return;
    const name = () => {
      const id = root.querySelector('[role="option"][aria-selected="true"]')?.id;
      for (const box of root.querySelectorAll('[cmdk-input], [cmdk-list]')) {
        if (id === undefined) box.removeAttribute('aria-activedescendant');
        else if (box.getAttribute('aria-activedescendant') !== id) box.setAttribute('aria-activedescendant', id);
      }
    };
    const observer = new MutationObserver(name);
    observer.observe(root, {
      subtree: true,
      childList: true,
      attributeFilter: ['aria-selected', 'aria-activedescendant'],
    });
    return () => observer.disconnect();
  }, []);
}
