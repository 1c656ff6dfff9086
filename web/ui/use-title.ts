import { useEffect } from 'react';

let current = '';
let waiting = 0;

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    current = `${title} · Agent Zoo`;
    write();
  }, [title]);
}

/** Shows in the title of the browser tab how much waits for the user. */
export function useTitleCount(count: number): void {
  useEffect(() => {
    waiting = count;
    write();
  }, [count]);
}

function write(): void {
  if (current !== '') document.title = waiting > 0 ? `(${waiting}) ${current}` : current;
}
