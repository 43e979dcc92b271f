/**
 * The tables of the control store as the query builder sees them. Types are those that SQLite and PostgreSQL share:
 * flags are 0 or 1, moments are ISO 8601 text in UTC with milliseconds, so that their order as text is their order in time.
 * A column that ends in `_key` holds the folded form of a text that is unique or looked up without regard to case.
 */

import type { HoldRow } from './holds/held.ts'

export type ControlTables = {
  readonly accounts: AccountRow
  readonly account_usage: AccountUsageRow
  readonly kept_answers: KeptAnswerRow
  readonly audit: AuditRow
  readonly revisions: RevisionRow
  readonly endpoints: EndpointRow
  readonly endpoint_versions: EndpointVersionRow
  readonly tenant: TenantRow
  readonly organizations: OrganizationRow
  readonly deleted_organizations: DeletedOrganizationRow
  readonly persons: PersonRow
  readonly person_organizations: PersonOrganizationRow
  readonly facet_definitions: FacetDefinitionRow
  readonly organization_facets: FacetRow<'organization_id'>
  readonly person_facets: FacetRow<'person_id'>
  readonly secrets: SecretRow
  readonly key_checks: KeyCheckRow
  readonly notifications: NotificationRow
  readonly notification_reads: NotificationReadRow
  readonly published_snapshots: PublishedSnapshotRow
  readonly snapshot_drafts: SnapshotDraftRow
  readonly webhooks: WebhookRow
  readonly data_changes: DataChangeRow
  readonly data_change_counts: DataChangeCountRow
  readonly webhook_deliveries: WebhookDeliveryRow
  readonly event_progress: EventProgressRow
  readonly schedules: ScheduleRow
  readonly schedule_runs: ScheduleRunRow
  readonly script_state: ScriptStateRow
  readonly modules: ModuleRow
  readonly module_versions: ModuleVersionRow
  readonly requests_by_minute: RequestsByMinuteRow
  readonly refreshes: RefreshRow
  readonly holds: HoldRow
}

export type AccountRow = {
  readonly id: string
  readonly name: string
  readonly client_number: string
  /** SHA-256 of the key, in hexadecimal. The key itself is stored nowhere. */
  readonly key_hash: string
  readonly active: number
  readonly locked: number
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly created_at: string
  readonly rotated_at: string | null
  /** SHA-256 of the psk, in hexadecimal. It and `psk_issued_at` are null for an account without a psk. */
  readonly psk_hash: string | null
  readonly psk_issued_at: string | null
  readonly notes: string | null
  /** Covers what decides who reads which client; null in a row that an older version has written. */
  readonly seal: string | null
}

/** What an account asked for on one day (UTC). */
type AccountUsageRow = {
  readonly account_id: string
  readonly day: string
  readonly requests: number
  readonly bytes: number
  readonly last_address: string | null
}

/** The answer of a request with an idempotency key, sealed under that key, which is stored nowhere. */
type KeptAnswerRow = {
  /** SHA-256 of caller and key, and of the request, in hexadecimal. */
  readonly key_hash: string
  readonly request_hash: string
  readonly created_at: string
  /** Null until the answer is known. */
  readonly sealed: Uint8Array | null
}

type AuditRow = {
  readonly id: string
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject_id: string
  /** What changed, as JSON objects of the changed members only. Never a key or psk, nor the hash of one. */
  readonly before: string | null
  readonly after: string | null
}

/** Grows in the transaction of every change of its subject, so that readers know what they have to read again. */
type RevisionRow = {
  readonly subject: 'endpoints' | 'secrets' | 'notifications' | 'data-changes' | 'script-state' | 'refreshes'
  readonly revision: number
}

export type EndpointRow = {
  readonly id: string
  readonly name: string
  readonly name_key: string
  /** The definition as JSON. */
  readonly draft: string
  readonly draft_revision: number
  readonly draft_changed_at: string
  readonly draft_changed_by: string
  readonly active: number
  /** The columns from here on describe the published version; null until there is one. */
  readonly version: number | null
  readonly method: string | null
  /** The path folded, with `{}` for every parameter: unique together with the method. */
  readonly path_key: string | null
  readonly created_at: string
}

export type EndpointVersionRow = {
  readonly endpoint_id: string
  readonly version: number
  /** As JSON. */
  readonly definition: string
  readonly published_at: string
  readonly published_by: string
  readonly note: string | null
  /** The modules that it was published with, as a JSON array of names, versions and scripts; null without any. */
  readonly modules: string | null
}

/** The table has one row. */
type TenantRow = { readonly id: string; readonly name: string }

export type OrganizationRow = {
  readonly id: string
  readonly number: string | null
  readonly number_key: string | null
  readonly name: string
  /** Unique among siblings: the id of the parent, a slash, and the folded name. */
  readonly name_key: string
  readonly description: string | null
  readonly active: number
  readonly parent_id: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** An organization that can be restored. Being in a table of its own, it is in no list and keeps no name from others. */
type DeletedOrganizationRow = {
  readonly id: string
  readonly deleted_at: string
  readonly deleted_by: string
  /** What restoring needs, as JSON. */
  readonly content: string
}

export type PersonRow = {
  readonly id: string
  readonly first_name: string | null
  readonly last_name: string
  readonly middle_name: string | null
  readonly prefix: string | null
  readonly suffix: string | null
  readonly email_address: string
  readonly email_key: string
  readonly user_principal_name: string | null
  readonly active: number
  readonly created_at: string
  readonly updated_at: string
}

type PersonOrganizationRow = {
  readonly person_id: string
  readonly organization_id: string
  readonly position: number
}

export type FacetDefinitionRow = {
  readonly id: string
  readonly resource_type: string
  readonly category: string
  readonly name: string
  readonly name_key: string
  readonly description: string
  readonly data_sensitivity: string
  readonly critical: number
  readonly allow_free_text: number
  readonly allow_multiple: number
  /** A JSON array of text. */
  readonly choices: string
  readonly active: number
  readonly created_at: string
  readonly updated_at: string
}

/** `chosen` is a JSON array of text. */
type FacetRow<Owner extends string> = { readonly [K in Owner | 'definition_id' | 'chosen']: string }

export type SecretRow = {
  readonly name: string
  readonly name_key: string
  /** AES-256-GCM: nonce (12 bytes), ciphertext, tag (16 bytes). */
  readonly sealed: Uint8Array
  readonly description: string | null
  readonly active: number
  readonly expires_at: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** A known text, sealed under the key of the purpose: a key that opens it is the same key. */
type KeyCheckRow = { readonly purpose: 'secrets' | 'accounts'; readonly sealed: Uint8Array }

export type NotificationRow = {
  readonly id: string
  readonly sequence: number
  /** Null for all readers. */
  readonly audience: string | null
  readonly title: string
  readonly message: string
  readonly type: string
  readonly link: string | null
  readonly created_at: string
  readonly created_by: string
}

type NotificationReadRow = {
  readonly notification_id: string
  readonly reader: string
  readonly read_at: string
}

/** A shared snapshot. At most one is current. A retired one is only kept for readers that have not noticed. */
export type PublishedSnapshotRow = {
  readonly id: string
  readonly published_at: string
  readonly manifest_key: string
  readonly manifest_bytes: number
  readonly is_current: number
  readonly retired_at: string | null
}

/** A refresh that is under way, and the snapshot whose unchanged files it uses. */
type SnapshotDraftRow = { readonly id: string; readonly base_id: string | null; readonly begun_at: string }

export type WebhookRow = {
  readonly id: string
  readonly account_id: string
  /** That of the account, which never changes. */
  readonly client_number: string
  readonly url: string
  readonly description: string | null
  /** A JSON array of lists; null for all of them. */
  readonly lists: string | null
  /** Sealed like the secrets of scripts. */
  readonly secret: Uint8Array
  readonly old_secret: Uint8Array | null
  readonly old_secret_until: string | null
  readonly active: number
  readonly paused_reason: string | null
  readonly failing_since: string | null
  readonly created_at: string
  readonly created_by: string
  readonly updated_at: string
}

/** What changed for one client with one published snapshot. */
type DataChangeRow = {
  /** Grows in the order in which changes are recorded. No client may learn it: it counts the changes of all. */
  readonly sequence: number
  readonly client_number: string
  /** Counts the changes of the client, from 1. */
  readonly number: number
  readonly snapshot_id: string
  /** The change as JSON. */
  readonly content: string
  readonly created_at: string
}

type DataChangeCountRow = {
  readonly client_number: string
  /** The number of the client's newest change, which may have been removed since. */
  readonly changes: number
}

export type WebhookDeliveryRow = {
  readonly id: string
  readonly webhook_id: string
  readonly state: string
  /** The body, as it is sent. */
  readonly body: string
  /** The newest attempts as a JSON array. */
  readonly attempts: string
  readonly attempt_count: number
  /** Null unless the delivery is pending. */
  readonly next_attempt_at: string | null
  readonly created_at: string
}

/** The table has one row: the snapshot up to which changes were recorded. */
type EventProgressRow = { readonly name: 'data-changes'; readonly snapshot_id: string }

/** Belongs to the id of an endpoint and the name of a schedule, whatever version has it. */
export type ScheduleRow = {
  readonly endpoint_id: string
  readonly name: string
  /** The schedule of the published version as JSON; null when that has no schedule of this name. */
  readonly definition: string | null
  /** The published version. */
  readonly version: number
  /** Whether the endpoint is active. */
  readonly is_on: number
  readonly paused_at: string | null
  readonly paused_by: string | null
  /** Due times up to this one were run or dropped. */
  readonly handled_until: string
  /** The last run that ended, as JSON. */
  readonly last_run: string | null
  /** Failed runs since the last success. */
  readonly failures: number
}

/** A run of a schedule that was asked for, or that is under way. */
export type ScheduleRunRow = {
  readonly execution_id: string
  readonly endpoint_id: string
  readonly schedule: string
  readonly version: number
  readonly due_at: string
  readonly requested_by: string | null
  /** Null while it waits, like the moment until which its node counts as alive. */
  readonly begun_at: string | null
  readonly alive_until: string | null
}

/** A value that the scripts of an endpoint keep from run to run. */
type ScriptStateRow = {
  /** The endpoint, or whatever else owns the script. */
  readonly owner_id: string
  readonly key: string
  /** The value as JSON. */
  readonly value: string
  /** Bytes of key and value. */
  readonly bytes: number
  /** Grows with every change of any value, so a version never comes again. */
  readonly version: number
  readonly updated_at: string
}

export type ModuleRow = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly draft: string
  readonly draft_revision: number
  readonly draft_changed_at: string
  readonly draft_changed_by: string
  /** The newest published one. */
  readonly version: number | null
  readonly created_at: string
}

export type ModuleVersionRow = {
  readonly module_id: string
  readonly version: number
  readonly script: string
  readonly published_at: string
  readonly published_by: string
  readonly note: string | null
}

/** What one process answered in one minute. */
type RequestsByMinuteRow = {
  readonly process_id: string
  readonly minute: string
  /** A JSON object from families of routes to their counts. */
  readonly families: string
}

export type RefreshRow = {
  readonly id: string
  /** That of its newest change, among all refreshes. */
  readonly revision: number
  /** Name of the machine and data folder. */
  readonly node: string
  readonly origin: 'service' | 'command'
  readonly requested_by: string
  readonly outcome: string
  readonly started_at: string
  /** The moment until which a running one counts as alive. */
  readonly alive_until: string
  readonly ended_at: string | null
  readonly snapshot_id: string | null
  /** As JSON. */
  readonly figures: string
  /** As JSON; null until the end. */
  readonly findings: string | null
}
