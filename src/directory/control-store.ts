/** The small mutable part of the service as one set of operations per subject, on the database that holds it. */
import type { DirectoryImport } from '../schema/directory-import-shapes.ts'
import type { Tenant } from '../schema/directory-shapes.ts'
import type { AccountSeals } from './accounts/account-seals.ts'
import { type AccountUsage, createAccountUsage } from './accounts/account-usage.ts'
import { type AccountUses, createAccountUses } from './accounts/account-uses.ts'
import { type Accounts, createAccounts } from './accounts/accounts.ts'
import type { KeyHolders } from './accounts/key-holder.ts'
import { renameTenant, tenantOf } from './accounts/tenant.ts'
import { type Deed, recordDeed } from './audit/audit.ts'
import { type AuditFilter, type AuditPage, listAudit } from './audit/audit-list.ts'
import { guardTransactions, withCheck } from './changes/guard-transactions.ts'
import { createKeptAnswers, type KeptAnswers } from './changes/kept-answers.ts'
import { copyDirectory, type DirectoryCopy } from './copy-directory.ts'
import type { ControlDatabase } from './database.ts'
import { createEndpoints, type Endpoints } from './endpoints/endpoints.ts'
import {
  createPublishedEndpointCache,
  type PublishedEndpointCache,
} from './endpoints/published-endpoint-cache.ts'
import { createHolds, type Holds } from './holds/holds.ts'
import { exportDirectory } from './import/export-directory.ts'
import { type FileText, type ImportOptions, importDirectory } from './import/import-directory.ts'
import { createModules, type Modules } from './modules/modules.ts'
import { createNotifications, type Notifications } from './notifications/notifications.ts'
import { createFacets, type Facets } from './people/facets.ts'
import { createOrganizations, type Organizations } from './people/organizations.ts'
import { createPersons, type Persons } from './people/persons.ts'
import { createRefreshHistory, type RefreshHistory } from './refreshes/refreshes.ts'
import { createRequestMinutes, type RequestMinutes } from './request-minutes.ts'
import { createSchedules, type Schedules } from './schedules/schedules.ts'
import { secretsWithoutKey } from './secrets/problems.ts'
import { createSecrets, type Secrets } from './secrets/secrets.ts'
import { createPublishedSnapshots, type PublishedSnapshots } from './snapshots/published-snapshots.ts'
import { createScriptState, type ScriptState } from './state/script-state.ts'
import { createDataChanges, type DataChanges } from './webhooks/data-changes.ts'
import { createDeliveryQueue, type DeliveryQueue } from './webhooks/delivery-queue.ts'
import { createWebhooks, type Webhooks } from './webhooks/webhooks.ts'

/** What a check in front of a change may read, in the transaction of the change. */
export type StoreInTransaction = {
  readonly accounts: Accounts
  readonly endpoints: Endpoints
  readonly modules: Pick<Modules, 'get'>
  readonly schedules: Schedules
  readonly organizations: Organizations
  readonly facets: Facets
  readonly persons: Persons
  readonly secrets: Pick<Secrets, 'list'>
  readonly webhooks: Pick<Webhooks, 'find'>
  readonly tenant: () => Promise<Tenant>
  readonly keptAnswers: KeptAnswers
}

export type ControlStore = {
  readonly accounts: Accounts & KeyHolders & Pick<AccountUses, 'noteUse'> & Pick<AccountUsage, 'noteAnswer'>
  readonly endpoints: Endpoints & PublishedEndpointCache
  readonly schedules: Schedules
  readonly organizations: Organizations
  readonly facets: Facets
  readonly persons: Persons
  readonly secrets: Secrets
  readonly notifications: Notifications
  /** Functions that scripts import. */
  readonly modules: Modules
  /** What scripts keep from run to run. */
  readonly scriptState: ScriptState
  /** Outgoing ones. */
  readonly webhooks: Webhooks
  readonly webhookDeliveries: DeliveryQueue
  /** What changed for which client. */
  readonly dataChanges: DataChanges
  /** Those that several nodes share. */
  readonly snapshots: PublishedSnapshots
  /** Those that run, and the latest that have ended. */
  readonly refreshes: RefreshHistory
  /** What operators hold until they resume it. */
  readonly holds: Holds
  /** Answers of requests with an idempotency key. */
  readonly keptAnswers: KeptAnswers
  /** Runs the check in the first transaction of the change, before it; the check throws to refuse the change. */
  readonly changeIf: <T>(
    check: (store: StoreInTransaction) => Promise<void>,
    change: () => Promise<T>,
  ) => Promise<T>
  /** What was answered in each minute of the last day. */
  readonly requestMinutes: RequestMinutes
  /** All organizations and persons as CSV. */
  readonly directoryFiles: {
    /** All rows or none. @throws DetailedProblem DIR317 with the faults of the file */
    readonly import: (file: FileText, options: ImportOptions) => Promise<DirectoryImport>
    readonly export: () => AsyncIterable<string>
  }
  /** Created by the first call. */
  readonly tenant: () => Promise<Tenant>
  readonly renameTenant: (name: string, by: string) => Promise<Tenant>
  readonly audit: {
    /** Newest first. */
    readonly list: (filter: AuditFilter) => Promise<AuditPage>
    /** Records an action that changes nothing in the store itself. */
    readonly note: (deed: Deed) => Promise<void>
  }
  /** The copy that a trial works on. The caller closes it. */
  readonly copyForTrial: () => Promise<DirectoryCopy>
  /** Writes the account uses that are still in memory, and closes the database. */
  readonly close: () => Promise<void>
}

/** @param secretKey is called when a secret is first sealed or opened; without it neither is possible */
export function createControlStore(
  database: ControlDatabase,
  seals: AccountSeals,
  secretKey: () => Buffer = refuseSecrets,
): ControlStore {
  const { queries, latest, relaxed } = database
  guardTransactions(queries)
  const { noteUse, writeAll } = createAccountUses(relaxed)
  const usage = createAccountUsage(relaxed)
  return {
    accounts: {
      ...createAccounts(queries, seals),
      lookup: latest.holderBy('key_hash', seals.readHolder),
      lookupPsk: latest.holderBy('psk_hash', seals.readHolder),
      noteUse,
      noteAnswer: usage.noteAnswer,
    },
    endpoints: { ...createEndpoints(database), ...createPublishedEndpointCache(latest) },
    schedules: createSchedules(queries),
    organizations: createOrganizations(queries),
    facets: createFacets(queries),
    persons: createPersons(queries),
    secrets: createSecrets(queries, secretKey),
    notifications: createNotifications(queries),
    modules: createModules(queries),
    scriptState: createScriptState(queries),
    webhooks: createWebhooks(queries, secretKey),
    webhookDeliveries: createDeliveryQueue(queries, seals, secretKey),
    dataChanges: createDataChanges(database, seals),
    snapshots: createPublishedSnapshots(queries),
    refreshes: createRefreshHistory(queries, relaxed.queries),
    holds: createHolds(queries),
    keptAnswers: createKeptAnswers(queries),
    changeIf: (check, change) =>
      withCheck(
        (transaction) => check(storeIn({ ...database, queries: transaction }, seals, secretKey)),
        change,
      ),
    requestMinutes: createRequestMinutes(database),
    directoryFiles: {
      import: (file, options) => importDirectory(queries, file, options),
      export: () => exportDirectory(queries),
    },
    tenant: () => tenantOf(queries),
    renameTenant: (name, by) => renameTenant(queries, name, by),
    audit: { list: (filter) => listAudit(database, filter), note: (deed) => recordDeed(queries, deed) },
    copyForTrial: () => copyDirectory(database),
    close: async () => {
      await writeAll()
      await usage.writeAll()
      await database.close()
    },
  }
}

function storeIn(
  database: Pick<ControlDatabase, 'queries' | 'expressions'>,
  seals: AccountSeals,
  secretKey: () => Buffer,
): StoreInTransaction {
  const { queries } = database
  return {
    accounts: createAccounts(queries, seals),
    endpoints: createEndpoints(database),
    modules: createModules(queries),
    schedules: createSchedules(queries),
    organizations: createOrganizations(queries),
    facets: createFacets(queries),
    persons: createPersons(queries),
    secrets: createSecrets(queries, secretKey),
    webhooks: createWebhooks(queries, secretKey),
    tenant: () => tenantOf(queries),
    keptAnswers: createKeptAnswers(queries),
  }
}

function refuseSecrets(): never {
  throw secretsWithoutKey()
}
