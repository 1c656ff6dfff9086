import { Page } from '../ui/page.tsx';

export function GalleryScreen() {
  return <Page>…</Page>;
}
