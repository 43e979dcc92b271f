import type { Explanations } from './kinds.ts'

/** DIR4xx: organizations, facets, persons. DIR6xx: notifications. DIR73x: searches of the history. DIR8xx: the audit trail. */
export const peopleExplanations = {
  DIR401: {
    meaning: 'There is no organization with this id.',
    action: 'Look up the id in the list of organizations.',
  },
  DIR402: {
    meaning: 'There is no person with this id.',
    action: 'Look up the id in the list of persons.',
  },
  DIR403: {
    meaning: 'There is no facet definition with this id.',
    action: 'Look up the id in the list of facet definitions.',
  },
  DIR410: {
    meaning: 'Another organization with the same parent has this name, apart from letter case.',
    action: 'Choose another name, or change that organization.',
  },
  DIR411: {
    meaning: 'Another organization has this number, apart from letter case.',
    action: 'Choose another number, or change that organization.',
  },
  DIR412: {
    meaning: 'The new parent of an organization is the organization itself or one below it.',
    action: 'Choose another parent, or move that parent to another place first.',
  },
  DIR413: {
    meaning: 'The organization cannot be removed: it has child organizations.',
    action: 'Give the children another parent, or remove them first.',
  },
  DIR414: {
    meaning: 'The organization cannot be removed: some persons belong to no other organization.',
    action: 'Add these persons to another organization, or remove them first.',
  },
  DIR415: {
    meaning: 'Another facet of the same resource type has this name, apart from letter case.',
    action: 'Choose another name.',
  },
  DIR416: {
    meaning: 'The facet is inactive, so its values cannot be changed.',
    action: 'Activate its definition first.',
  },
  DIR417: {
    meaning: 'The resource type of a facet that has values cannot be changed.',
    action: 'Create a new facet definition for the other type.',
  },
  DIR418: {
    meaning: 'Organizations would be nested too deep.',
    action: 'Choose a parent that is higher.',
  },
  DIR430: {
    meaning: 'The organization, person or facet that was sent has one or more wrong members.',
    action: 'Correct everything that `details` lists.',
  },
  DIR431: {
    meaning: 'The parent of the organization does not exist.',
    action: 'Give the id of an organization, or null for none.',
  },
  DIR432: {
    meaning: 'An organization of the person does not exist.',
    action: 'Give the ids of 1 to 50 organizations, the main one first.',
  },
  DIR433: {
    meaning: 'The facet belongs to another resource type.',
    action: 'Use a facet of the type that the message names.',
  },
  DIR434: {
    meaning: 'The value is not in the list of values of the facet.',
    action: "Use a value of the facet's definition.",
  },
  DIR435: {
    meaning: 'The facet takes one value, but several were sent.',
    action: 'Send one value, or allow several in the definition.',
  },
  DIR436: {
    meaning: 'The value of a facet has the wrong type.',
    action: 'Send a value of the type that the message names.',
  },
  DIR437: {
    meaning: 'The name of the tenant is empty, too long or has line breaks.',
    action: 'Use 1 to 200 characters without line breaks.',
  },
  DIR460: {
    meaning:
      'A new account is for a client that the current snapshot does not have. This is a warning: the account was created.',
    action:
      'Check the client number. If it is right, the account reads its records after the refresh that brings them; until then its lists are empty.',
  },
  DIR461: {
    meaning: 'A new account has the name of another one. This is a warning: the account was created.',
    action: 'Name the accounts by their ids in commands; the name is ambiguous from now on.',
  },
  DIR480: {
    meaning: "A key of a script's state is empty, too long, or one of `.` and `..`.",
    action: 'Use a short name, such as `cursor` or `seen:4711`.',
  },
  DIR481: {
    meaning: "A value of a script's state is too long.",
    action: 'Keep a number, an id or a short list.',
  },
  DIR482: {
    meaning: 'The state of an endpoint has as many keys or bytes as it may have.',
    action: 'Delete keys that are no longer needed, with `DeleteState` or in the admin API.',
  },
  DIR483: {
    meaning: 'A value to which a script adds a number is no number.',
    action: 'Set the key to a number, or delete it: counting then begins at 0.',
  },
  DIR484: {
    meaning: 'The state of the endpoint does not have this key.',
    action: 'Take the key from the list of the state.',
  },
  DIR485: {
    meaning: 'There is no module with that name.',
    action: 'Take the name from the list of modules.',
  },
  DIR486: {
    meaning: 'The module has no published version with that number.',
    action: 'Take the number from the list of its versions.',
  },
  DIR487: {
    meaning: 'Another module has the name.',
    action: 'Choose another name, or change the draft of that module.',
  },
  DIR488: {
    meaning: 'The draft of the module was saved by another request since it was read.',
    action: 'Read the draft again, merge the two changes, and save with its new revision.',
  },
  DIR489: {
    meaning: 'The draft of the module equals its newest published version.',
    action: 'Save a change of the draft first.',
  },
  DIR630: {
    meaning: 'A text of a notification is empty or too long.',
    action: 'Correct the text that the message names. Put details on the page that the link opens.',
  },
  DIR631: {
    meaning: 'There is no notification type with this name.',
    action: 'Use a type that the message lists.',
  },
  DIR632: {
    meaning: 'The reader of a notification is malformed.',
    action: 'Write user:EMAIL, or null for all users.',
  },
  DIR633: {
    meaning: 'The link of a notification is not allowed.',
    action: 'Begin it with https://, http:// or a single /.',
  },
  DIR640: {
    meaning: 'There is no deleted organization with that id.',
    action: 'Take the id from an entry `organization.soft-delete` of the audit trail.',
  },
  DIR641: {
    meaning: 'A deleted organization cannot be restored: its parent does not exist any more.',
    action: 'Restore the parent first, or create the organization again under another parent.',
  },
  DIR650: {
    meaning: 'A webhook has members that cannot be saved.',
    action: 'Correct the members that the answer names.',
  },
  DIR651: {
    meaning: 'The account has as many webhooks as an account may have.',
    action: 'Remove a webhook that is not needed.',
  },
  DIR652: {
    meaning: 'The signing secret of a webhook was sealed with another key than that of this service.',
    action: 'Start the service with the key that it had, or rotate the secret of the webhook.',
  },
  DIR653: {
    meaning: 'A command names a webhook or a delivery that does not exist.',
    action: 'Take the id from `tripfolio webhook list` or `tripfolio webhook deliveries`.',
  },
  DIR654: {
    meaning: 'A search for an execution by its id has less than the first eight characters of one.',
    action: 'Write the id, or at least its first eight characters.',
  },
  DIR655: {
    meaning: 'A search for executions by the status of their response has neither a status nor a class.',
    action: 'Write 404, or 4xx for all from 400 to 499.',
  },
  DIR656: {
    meaning: 'The contents of executions can be searched in the order of start only.',
    action: 'Leave out `sort`, or search with minExecutionTimeMs.',
  },
  DIR657: {
    meaning: 'A series of figures would have no point, or more than 1,500.',
    action: 'Choose a longer step, or a shorter time.',
  },
  DIR658: {
    meaning: 'Too many tests of a webhook wait to be sent.',
    action: 'Wait until they were sent, and resume the webhook if it is paused.',
  },
  DIR659: {
    meaning: 'A command names a webhook, a delivery or a refresh by characters with which several ids begin.',
    action: 'Give more characters of the id.',
  },
  DIR730: {
    meaning: 'The start of a page of executions is malformed.',
    action: 'Send `next` of the previous page unchanged, or leave it out for the newest executions.',
  },
  DIR731: {
    meaning: 'A date or time in a search of the history is malformed.',
    action: 'Write 2026-01-31 or 2026-01-31T17:00:00+10:00.',
  },
  DIR732: {
    meaning: 'A day in a search of the history is malformed.',
    action: 'Write it as 2026-01-31.',
  },
  DIR830: {
    meaning: 'The start of a page of the audit trail is not the `next` of an earlier page.',
    action: 'Leave it out to begin with the newest change.',
  },
  DIR831: {
    meaning: 'A date or time in a search of the audit trail is malformed.',
    action: 'Write 2026-06-30 or 2026-06-30T17:00:00Z.',
  },
} satisfies Explanations
