import { Page } from '../ui/page.tsx';

export function ConnectScreen() {
  return <Page>…</Page>;
}
