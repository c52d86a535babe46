import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import { ModulePicture } from '~/ui/module-art';
import { PageHeading } from '~/ui/page-heading';

// An envelope.
const ENVELOPE = '00ff c3a5 9981 ff00'.replaceAll(' ', '');

/** Says that the message arrived, and what happens next. */
export function ContactSent() {
  const { t } = useTranslation('contact');
  return (
    <div className="form-page contact-sent">
      <ModulePicture rows={ENVELOPE} />
      <PageHeading title={t('sent.title')} lead={t('sent.text')} />
      <p>{t('answer')}</p>
      <div className="actions">
        <Link to="/contact" className={buttonClass('secondary')}>
          {t('sent.another')}
        </Link>
      </div>
    </div>
  );
}
