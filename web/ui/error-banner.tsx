import { RotateCw, TriangleAlert } from 'lucide-react';
import { Banner } from './banner.tsx';
import { Button } from './button.tsx';
import { errorText } from './error-state.tsx';

export interface ErrorBannerProps {
  /** What failed, as a sentence. */
  title: string;
  error: unknown;
  onRetry: () => void;
}

/** Says that a part of a screen could not be loaded. For a whole screen, use `ErrorState`. */
export function ErrorBanner({ title, error, onRetry }: ErrorBannerProps) {
  return (
    <Banner
      role="alert"
      tone="danger"
      icon={<TriangleAlert />}
      actions={
        <Button size="sm" icon={<RotateCw aria-hidden />} onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {title} {errorText(error)}
    </Banner>
  );
}
