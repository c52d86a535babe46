import type { ReactNode } from 'react';
import type { Locale } from '~/i18n/locales';

export interface NoticeView {
  id: string;
  type: 'success' | 'error' | 'warning' | 'info';
  key: string;
  values?: Record<string, string> | undefined;
  persistent: boolean;
}

interface Props {
  user: { label: string } | null;
  locale: Locale;
  theme: 'system' | 'light' | 'dark';
  notices: NoticeView[];
  children: ReactNode;
}

export function PageFrame({ children }: Props) {
  return (
    <main id="main" tabIndex={-1}>
      {children}
    </main>
  );
}
