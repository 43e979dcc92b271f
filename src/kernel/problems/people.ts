import type { Explanations } from './kinds.ts'

/** DIR4xx: organizations, facets, persons. DIR6xx: notifications. DIR73x: questions to the history. DIR8xx: the audit trail. */
export const peopleExplanations = {
  DIR401: {
    meaning: 'There is no organization of this id.',
    action: 'Look the id up in the list of organizations.',
  },
  DIR402: {
    meaning: 'There is no person of this id.',
    action: 'Look the id up in the list of persons.',
  },
  DIR403: {
    meaning: 'There is no facet definition of this id.',
    action: 'Look the id up in the list of facet definitions.',
  },
  DIR410: {
    meaning: 'Another organization has this name, apart from letter case.',
    action: 'Choose another name, or change that organization.',
  },
  DIR411: {
    meaning: 'Another organization has this number, apart from letter case.',
    action: 'Choose another number, or change that organization.',
  },
  DIR412: {
    meaning: 'An organization cannot be below itself.',
    action: 'Choose a parent outside the branch, or move that parent elsewhere first.',
  },
  DIR413: {
    meaning: 'The organization has child organizations and cannot be removed.',
    action: 'Give the children another parent, or remove them first.',
  },
  DIR414: {
    meaning: 'The organization is the only one of some persons and cannot be removed.',
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
    meaning: 'The facet has values, so it cannot get another resource type.',
    action: 'Make a new definition for the other type.',
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
    meaning: 'The value is not one that the facet lists.',
    action: "Use a value of the facet's definition.",
  },
  DIR435: {
    meaning: 'The facet takes one value, and several were sent.',
    action: 'Send one value, or allow several in the definition.',
  },
  DIR436: {
    meaning: 'The value of a facet has the wrong type.',
    action: 'Send what the message expects.',
  },
  DIR437: {
    meaning: 'The name of the tenant is empty, too long or has line breaks.',
    action: 'Use 1 to 200 characters without line breaks.',
  },
  DIR630: {
    meaning: 'A text of a notification is empty or too long.',
    action: 'Shorten it, and put the rest behind the link.',
  },
  DIR631: {
    meaning: 'There is no notification type of this name.',
    action: 'Use a type that the message lists.',
  },
  DIR632: {
    meaning: 'The reader of a notification is malformed.',
    action: 'Write user:<email>, or null for everybody.',
  },
  DIR633: {
    meaning: 'The link of a notification is not one that may be followed.',
    action: 'Begin it with https://, http:// or a single /.',
  },
  DIR730: {
    meaning: 'The position of a page of executions is malformed.',
    action: 'Send back `next` of the page before, unchanged, or leave it out.',
  },
  DIR731: {
    meaning: 'A moment in a question to the history is malformed.',
    action: 'Write 2026-01-31 or 2026-01-31T17:00:00+10:00.',
  },
  DIR732: {
    meaning: 'A day in a question to the history is malformed.',
    action: 'Write it as 2026-01-31.',
  },
  DIR830: {
    meaning: 'The position in the audit trail is not one that an earlier page gave.',
    action: 'Leave it out to begin with the newest change.',
  },
  DIR831: {
    meaning: 'A moment in a question to the audit trail is malformed.',
    action: 'Write 2026-06-30 or 2026-06-30T17:00:00Z.',
  },
} satisfies Explanations
