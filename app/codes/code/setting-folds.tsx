import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { LabelFields } from '~/codes/create/fields';
import { Button, buttonClass } from '~/ui/button';
import { CopyField } from '~/ui/copy-to-clipboard';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { Changeable } from './changeable';
import { Fold } from './fold';

interface Props {
  isLocked: boolean;
  lastResult: LastResult;
}

/** Toggles the visibility; the text explains the current one, the button names the other. */
export function VisibilityFold({
  visibility,
  isLocked,
  lastResult,
}: Props & { visibility: 'private' | 'public' }) {
  const { t } = useTranslation('codes');
  const [form] = useServerValidatedForm<never>({ id: 'visibility-form', lastResult });
  const { summary } = useErrorTexts('design', form);
  const isPrivate = visibility === 'private';
  const other = isPrivate ? 'public' : 'private';
  return (
    <Fold
      id="visibility"
      summary={t('visibility.heading')}
      value={t(`visibility.${visibility}`)}
      isOpen={isPrivate}
      hasErrors={summary.length > 0}
    >
      <p>{t(`visibility.${visibility}Text`)}</p>
      {isPrivate && <p className="note">{t('visibility.copies')}</p>}
      <ErrorSummary errors={summary} />
      <Form {...form.props}>
        <input type="hidden" name="intent" value="visibility" />
        <Changeable isLocked={isLocked}>
          <Button variant="secondary" name="visibility" value={other}>
            {t(`visibility.make.${other}`)}
          </Button>
        </Changeable>
      </Form>
    </Fold>
  );
}

/** Why a code that holds its content itself cannot be private. */
export function StaticVisibilityFold() {
  const { t } = useTranslation('codes');
  return (
    <Fold id="visibility" summary={t('visibility.heading')} value={t('visibility.public')}>
      <p>{t('visibility.inImage')}</p>
    </Fold>
  );
}

/** The code's name and tags. */
export function LabelFold({
  code: { name, tags },
  isLocked,
  lastResult,
}: Props & { code: { name: string | null; tags: string[] } }) {
  const { t } = useTranslation('codes');
  const [form, fields] = useServerValidatedForm<'name' | 'tags'>({
    id: 'labels',
    lastResult,
    defaultValue: { name: name ?? '', tags: tags.join(', ') },
  });
  const { message, summary } = useErrorTexts('design', form);
  return (
    <Fold
      id="name"
      summary={t('labels.heading')}
      value={tags.length > 0 ? tags.join(', ') : t('now.noTags')}
      hasErrors={summary.length > 0}
    >
      <ErrorSummary errors={summary} />
      <Form {...form.props}>
        <input type="hidden" name="intent" value="labels" />
        <Changeable isLocked={isLocked}>
          <LabelFields fields={fields} message={message} />
          <Button variant="secondary">{t('labels.submit')}</Button>
        </Changeable>
      </Form>
    </Fold>
  );
}

interface EndProps extends Props {
  code: { id: string; dynamic: boolean; archivedAt: string | null };
}

/** Hides a code from the list, or restores it, which affects nothing printed; and leads to its deletion. */
export function EndFold({ code: { id, dynamic, archivedAt }, isLocked, lastResult }: EndProps) {
  const { t } = useTranslation('codes');
  const [form] = useServerValidatedForm<never>({ id: 'archive-form', lastResult });
  const { summary } = useErrorTexts('design', form);
  const isArchived = archivedAt !== null;
  const about = isArchived ? 'isArchived' : 'about';
  return (
    <Fold
      id="archive"
      summary={t('archive.heading')}
      value={t(isArchived ? 'list.archived' : 'now.inUse')}
      isOpen={isArchived}
      hasErrors={summary.length > 0}
    >
      <ErrorSummary errors={summary} />
      <Form {...form.props}>
        <input type="hidden" name="intent" value="archive" />
        <p>{t(dynamic ? `archive.${about}` : `archive.${about}Static`)}</p>
        <Changeable isLocked={isLocked}>
          <Button variant="secondary" name="archived" value={String(!isArchived)}>
            {t(isArchived ? 'archive.restore' : 'archive.submit')}
          </Button>
        </Changeable>
      </Form>
      <p>{t(dynamic ? 'one.deleteAbout' : 'one.deleteAboutStatic')}</p>
      <p>
        <Link to={`/user/qrcodes/${id}/delete`} className={buttonClass('secondary')}>
          {t('one.delete')}
        </Link>
      </p>
    </Fold>
  );
}

export function AddressFold({ code: { link, scanLink } }: { code: { link: string; scanLink: string } }) {
  const { t } = useTranslation('codes');
  return (
    <Fold
      id="addresses"
      summary={t('one.addresses')}
      value={<span className="mono">{link.replace(/^https?:\/\//, '')}</span>}
    >
      <CopyField label={t('one.link')} value={link} />
      <CopyField label={t('one.scanLink')} value={scanLink} />
    </Fold>
  );
}

/**
 * Explains how the destination page of a link can report visitors' actions, and how the reports are counted.
 */
export function BeaconFold({ address }: { address: string }) {
  const { t } = useTranslation('codes');
  return (
    <Fold id="beacon" summary={t('beacon.heading')}>
      <p>{t('beacon.lead')}</p>
      <CopyField label={t('beacon.address')} value={address} />
      <CopyField label={t('beacon.script')} value={`navigator.sendBeacon('${address}')`} />
      <CopyField
        label={t('beacon.image')}
        value={`<img src="${address}" alt="" width="1" height="1" referrerpolicy="no-referrer">`}
      />
      <h3>{t('beacon.counted')}</h3>
      <ul className="beacon-facts">
        <li>{t('beacon.once')}</li>
        <li>{t('beacon.visitor')}</li>
        <li>{t('beacon.robots')}</li>
        <li>{t('beacon.stored')}</li>
        <li>{t('beacon.law')}</li>
      </ul>
    </Fold>
  );
}
