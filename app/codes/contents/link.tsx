import { useTranslation } from 'react-i18next';
import type { ContentForm } from './content-form';

export const link: ContentForm = {
  icon: 'link',
  main: 'content',
  label: 'link',
  control: { type: 'text', autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
  Lead,
};

function Lead({ content }: { content: string }) {
  const { t } = useTranslation('codes');
  return (
    <p className="lead">
      {t('one.leadsTo')}{' '}
      <a href={content} rel="noreferrer nofollow" className="whole-address">
        {content}
      </a>
    </p>
  );
}
