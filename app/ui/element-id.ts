import { useId } from 'react';

/** React's own ids begin with a colon, which neither selectors nor fragments like. */
export function useElementId(): string {
  return `id-${useId().replaceAll(':', '')}`;
}
