/** The buttons and the menu of an account, and the dialogs that they open. */
import { Button, Menu, Text } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { useIdempotencyKey } from '../../parts/resource/use-idempotency-key.ts'
import type { LoadedResource } from '../../parts/resource/use-resource.ts'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { TypedConfirmDialog } from '../../parts/typed-confirm-dialog.tsx'
import { accountTexts as texts } from '../../texts/accounts.ts'
import { useSession } from '../session/session.tsx'
import { type AccountAction, accountActions, type Secrets } from './account-actions.ts'
import { type AccountWithHistory, accountsKey } from './account-queries.ts'
import { EditDialog } from './edit-dialog.tsx'

type Props = {
  readonly account: AccountWithHistory
  readonly resource: LoadedResource<AccountWithHistory>
  readonly onRemoved: () => void
}

export function AccountButtons({ account, resource, onRemoved }: Props): ReactNode {
  const { may } = useSession()
  const [asked, setAsked] = useState<AccountAction | 'edit' | 'remove'>()
  const offered = accountActions.filter(({ right, isOffered }) => may(right) && isOffered(account))
  const inMenu = offered.filter(({ place }) => place === 'menu')
  const close = () => setAsked(undefined)
  return (
    <>
      {may('changeAccount') && (
        <Button size="xs" variant="default" onClick={() => setAsked('edit')}>
          {texts.edit}
        </Button>
      )}
      {offered
        .filter(({ place }) => place === 'bar')
        .map((action) => (
          <Button key={action.id} size="xs" variant="default" onClick={() => setAsked(action)}>
            {action.label(account)}
          </Button>
        ))}
      {(inMenu.length > 0 || may('removeAccount')) && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button size="xs" variant="default" leftSection={<IconDots size={16} aria-hidden />}>
              {texts.more}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {inMenu.map((action) => (
              <Menu.Item key={action.id} onClick={() => setAsked(action)}>
                {action.label(account)}
              </Menu.Item>
            ))}
            {may('removeAccount') && (
              <Menu.Item c="var(--tone-bad)" onClick={() => setAsked('remove')}>
                {texts.remove}
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      {asked === 'edit' && <EditDialog resource={resource} onClose={close} />}
      {asked === 'remove' && (
        <RemoveDialog account={account} resource={resource} onRemoved={onRemoved} onClose={close} />
      )}
      {typeof asked === 'object' && (
        <ActionDialog action={asked} account={account} resource={resource} onClose={close} />
      )}
    </>
  )
}

type DialogProps = Omit<Props, 'onRemoved'> & { readonly onClose: () => void }

function ActionDialog({
  action,
  account,
  resource,
  onClose,
}: DialogProps & { readonly action: AccountAction }): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const keyFor = useIdempotencyKey()
  const [secrets, setSecrets] = useState<Secrets>()
  const confirm = async () => {
    const answer = await resource.change(async (ifMatch) => {
      const sent = await action.send(api, {
        params: {
          path: { id: account.id },
          header: { 'if-match': ifMatch, 'idempotency-key': keyFor([action.id, ifMatch]) },
        },
      })
      // Shown at once: reading the account again may take long, or fail.
      setSecrets(sent.data)
      return sent
    })
    void queries.invalidateQueries({ queryKey: accountsKey })
    if (answer === undefined) onClose()
  }
  if (secrets !== undefined) {
    const { apiKey, psk } = secrets
    return (
      <SecretOnce
        secret={apiKey ?? psk}
        title={apiKey === undefined ? texts.pskTitle(account.name) : texts.keyTitle(account.name)}
        copyLabel={apiKey === undefined ? texts.copyPsk : texts.copyKey}
        onClose={onClose}
      />
    )
  }
  return (
    <ConfirmDialog
      isOpen
      title={action.title(account)}
      action={action.label(account)}
      isDangerous={action.isDangerous}
      closesWhenDone={false}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Text>{action.text(account)}</Text>
    </ConfirmDialog>
  )
}

function RemoveDialog({
  account,
  resource,
  onRemoved,
  onClose,
}: DialogProps & Pick<Props, 'onRemoved'>): ReactNode {
  const { api } = useSession()
  const remove = async () => {
    await resource.remove((ifMatch) =>
      api.DELETE('/api/admin/v1/accounts/{id}', {
        params: { path: { id: account.id }, header: { 'if-match': ifMatch } },
      }),
    )
    onRemoved()
  }
  return (
    <TypedConfirmDialog
      isOpen
      title={texts.removeTitle(account.name)}
      name={account.name}
      action={texts.remove}
      onConfirm={remove}
      onClose={onClose}
    >
      <Text>{texts.removeText}</Text>
    </TypedConfirmDialog>
  )
}
