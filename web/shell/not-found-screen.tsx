import { Page } from '../ui/page.tsx';

export function NotFoundScreen() {
  return <Page>…</Page>;
}
