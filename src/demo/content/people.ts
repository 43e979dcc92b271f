/** Makes travellers and their departments. An employee is computed from a number, so no list of employees is needed. */

import type { Client } from './client-list.ts'
import { choose, scatter } from './random.ts'

export type Person = {
  readonly name: string
  readonly employeeId: string
  readonly department: string
  readonly costCentre: string
}

export function employee(client: Client, number: number): Person {
  const key = scatter(client.key + Math.imul(number, 0x9e3779b1))
  const department = key % departments.length
  return {
    name: nameOf(scatter(key)),
    employeeId: `E${String(10_000 + number).padStart(6, '0')}`,
    department: choose(departments, department),
    costCentre: costCentre(client, department),
  }
}

/** A person whose name breaks code that expects plain letters. */
export function notablePerson(client: Client, number: number): Person {
  return { ...employee(client, number), name: choose(notableNames, number) }
}

export const notableNames: readonly string[] = [
  'Zoë Åkesson',
  'Łukasz Wójcik',
  '李 娜',
  "Siobhán O'Neill",
  'Robert "Bob" Nguyen',
  'Smith, Jane',
  'José Muñoz-Peña',
]

function nameOf(key: number): string {
  if (key % 40 === 0) return choose(notableNames, key >>> 6)
  return `${choose(firstNames, key >>> 3)} ${choose(lastNames, key >>> 11)}`
}

/** Some clients number their cost centres with leading zeros: text that looks like a number must stay text. */
function costCentre(client: Client, department: number): string {
  const number = 1000 + department * 110 + (client.key % 7) * 10
  return client.key % 3 === 0 ? String(number).padStart(7, '0') : `CC-${number}`
}

const departments: readonly string[] = [
  'Finance',
  'Sales',
  'Engineering',
  'Operations',
  'Legal',
  'Human Resources',
  'Marketing, Brand & PR',
  'R&D',
  "Directors' Office",
  'IT "Platform"',
  'Forschung & Entwicklung',
  'Santé et sécurité',
]

const firstNames: readonly string[] = [
  'James',
  'Olivia',
  'William',
  'Charlotte',
  'Jack',
  'Amelia',
  'Noah',
  'Isla',
  'Thomas',
  'Mia',
  'Lucas',
  'Grace',
  'Henry',
  'Chloe',
  'Daniel',
  'Ruby',
  'Samuel',
  'Zoë',
  'Michael',
  'Priya',
  'Arjun',
  'Mei',
  'Wei',
  'Hiroshi',
  'Yuki',
  'Fatima',
  'Omar',
  'Aroha',
  'Tāne',
  'Sofia',
  'Mateo',
  'François',
  'Chloé',
  'Jürgen',
  'Anke',
  'Łukasz',
  'Agnieszka',
  'Søren',
  'Ingrid',
  'Siobhán',
  'Callum',
  'Hannah',
  'Joseph',
  'Sarah',
  'Peter',
  'Emma',
  'Andrew',
]

const lastNames: readonly string[] = [
  'Smith',
  'Jones',
  'Williams',
  'Brown',
  'Wilson',
  'Taylor',
  'Nguyen',
  'Johnson',
  'Martin',
  'White',
  'Anderson',
  'Walker',
  'Thompson',
  'Lee',
  'Harris',
  'Singh',
  'Patel',
  'Chen',
  'Wang',
  'Kim',
  'Tanaka',
  'Suzuki',
  "O'Brien",
  "D'Souza",
  'Murphy',
  'Kelly',
  'Campbell',
  'Stewart',
  'Mitchell',
  'Robertson',
  'Clarke',
  'Wright',
  'Hughes',
  'Edwards',
  'Parker',
  'Cooper',
  'Bailey',
  'Reid',
  'Müller',
  'Schröder',
  'Lefèvre',
  'García',
  'Núñez',
  'Kowalski',
  'Wójcik',
  'Ångström',
  'Nielsen',
  'Rossi',
  'Ngata',
  'Tūhoe',
  'Papadopoulos',
  'Haddad',
  'van der Berg',
]
