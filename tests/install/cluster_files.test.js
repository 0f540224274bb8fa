// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The files of deploy/cluster are valid, agree with each other, and name only what the server has.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allYamlOf, composeFaults, interpolated, kubernetesFaults, promqlOf, yamlOf } from './lib/faults.js';

const kRoot = fileURLToPath(new URL('../../', import.meta.url));
const kFolder = path.join(kRoot, 'deploy/cluster');
const kNodeEndsSeconds = 8; // docs/cluster.md
const read = (name) => readFileSync(path.join(kFolder, name), 'utf8');
const documented = (name) => readFileSync(path.join(kRoot, 'docs', name), 'utf8');
const named = (text, pattern) => new Set([...text.matchAll(pattern)].map((match) => match[1]));
// The first of a list is the only one.
const only = (list) => {
  assert.equal(list.length, 1);
  return list[0];
};

const compose = yamlOf(interpolated(read('compose.yaml')));
const nodes = Object.entries(compose.services).filter(([, service]) => service.environment?.PARLEY_CLUSTER_NODE);
const kManifests = readdirSync(path.join(kFolder, 'kubernetes')).filter((name) => name.endsWith('.yaml'));
const kustomization = yamlOf(read('kubernetes/kustomization.yaml'));
const objects = kManifests
  .filter((name) => name !== 'kustomization.yaml')
  .flatMap((name) => allYamlOf(read(`kubernetes/${name}`)));
const ofKind = (kind) => objects.filter((object) => object.kind === kind);
const workload = only(ofKind('StatefulSet'));
const pod = workload.spec.template;
const container = only(pod.spec.containers);
const settings = named(documented('configuration.md'), /`(PARLEY_[A-Z_]+)`/g);
const routes = named(documented('rights.md'), /^\| `GET` \| `([^`]+)` \| open \|/gm);
const seconds = (text) => Number(/^(\d+)s$/.exec(text)[1]);

test('the Compose file is one', () => {
  assert.deepEqual(composeFaults(compose), []);
  const wrong = structuredClone(compose);
  wrong.services.balancer.restrat = 'always';
  assert.deepEqual(composeFaults(wrong), ['/services/balancer must NOT have additional properties']);
});

test('the Kubernetes manifests are of their kinds', () => {
  for (const object of objects) assert.deepEqual(kubernetesFaults(object), [], object.kind);
  const misspelt = structuredClone(workload);
  misspelt.spec.template.spec.containers[0].readynessProbe = {};
  assert.deepEqual(kubernetesFaults(misspelt), ['/spec/template/spec/containers/0/readynessProbe is no field']);
  const mistyped = structuredClone(workload);
  mistyped.spec.replicas = 'three';
  assert.deepEqual(kubernetesFaults(mistyped), ['data/spec/replicas must be integer']);
});

test('the alerts are PromQL over figures of the server', () => {
  const figures = named(documented('metrics.md'), /^\| `(parley_\w+)`/gm);
  const rules = yamlOf(read('alerts.yaml')).groups.flatMap((group) => group.rules);
  assert.equal(new Set(rules.map((rule) => rule.alert)).size, rules.length);
  for (const { alert, expr, annotations, ...more } of rules) {
    const { metrics, faults } = promqlOf(expr);
    assert.deepEqual(faults, [], alert);
    assert.ok(metrics.length > 0, alert);
    for (const metric of metrics) assert.ok(metric === 'up' || figures.has(metric), metric);
    assert.ok(annotations.summary && annotations.description, alert);
    for (const key of Object.keys(more)) assert.ok(['for', 'labels'].includes(key), `${alert}: ${key}`);
    assert.match(more.for ?? '1m', /^\d+[smh]$/);
  }
  assert.equal(promqlOf('sum(up) != )').faults.length, 1);
});

test('the scripts are Bash', () => {
  const scripts = readdirSync(path.join(kFolder, 'compose')).filter((name) => name.endsWith('.sh'));
  for (const name of scripts) {
    const script = path.join(kFolder, 'compose', name);
    execFileSync('bash', ['-n', script]);
    assert.ok(statSync(script).mode & 0o001, `${name} may be executed by the user of the container`);
  }
});

test('variables of nodes are settings', () => {
  const ofPod = container.env.map((each) => each.name).filter((name) => name !== 'POD_IP');
  const literals = kustomization.configMapGenerator.flatMap((map) => map.literals.map((each) => each.split('=')[0]));
  const ofCompose = nodes.flatMap(([, node]) => Object.keys(node.environment));
  for (const name of [...ofPod, ...literals, ...ofCompose])
    assert.ok(settings.has(name) || name === 'PARLEY_CONFIG', name);
  for (const name of ['PARLEY_CLUSTER_NODE', 'PARLEY_STORE_URL', 'PARLEY_PUBLIC_URL'])
    assert.ok([...ofPod, ...literals].includes(name), name);
  assert.equal(pod.spec.enableServiceLinks, false, 'Kubernetes makes no variables that look like settings');
});

test('probes ask routes that need no token', () => {
  const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((name) => container[name].httpGet);
  for (const probe of probes) {
    assert.ok(routes.has(probe.path), probe.path);
    assert.equal(probe.port, 'http');
  }
  assert.equal(container.readinessProbe.httpGet.path, '/readyz');
  assert.equal(container.livenessProbe.httpGet.path, '/healthz', 'a database that is away restarts no node');
  assert.equal(only(/uri (\S+)/.exec(read('haproxy.cfg')).slice(1)), '/readyz');
  for (const [name, node] of nodes) assert.match(node.healthcheck.test.at(-1), /GET \/readyz HTTP/, name);
});

test('a node has the time that it needs to end', () => {
  for (const [name, node] of nodes) assert.ok(seconds(node.stop_grace_period) > kNodeEndsSeconds, name);
  const before = Number(container.lifecycle.preStop.exec.command.at(-1));
  assert.ok(pod.spec.terminationGracePeriodSeconds > before + kNodeEndsSeconds);
});

test('only the balancer of the Compose file can be reached from outside', () => {
  const published = Object.entries(compose.services).filter(([, service]) => service.ports);
  assert.deepEqual(
    published.map(([name]) => name),
    ['balancer'],
  );
  assert.equal(only(compose.services.balancer.ports), '127.0.0.1:22080:22080');
  for (const name of ['links', 'database']) assert.equal(compose.networks[name].internal, true);
  const inside = Object.entries(compose.services).filter(([, { networks }]) => 'links' in networks);
  assert.deepEqual(inside, nodes, 'the network of links has nodes alone');
});

test('nodes of the Compose file are told apart, and the balancer knows them', () => {
  assert.equal(nodes.length, 3);
  for (const [name, node] of nodes) {
    assert.equal(node.environment.PARLEY_CLUSTER_NODE, name);
    assert.equal(node.hostname, name, 'a container that is made anew revokes the token of its host name');
    const alias = only(node.networks.links.aliases);
    assert.equal(node.environment.PARLEY_CLUSTER_LISTEN, `${alias}:22081`);
    assert.equal(only(node.volumes).split(':')[1], '/var/lib/parley');
  }
  assert.equal(new Set(nodes.map(([, node]) => only(node.volumes))).size, 3);
  const { PARLEY_BIND, ...balanced } = compose.services.balancer.environment;
  assert.equal(PARLEY_BIND, ':22080');
  assert.deepEqual(
    Object.values(balanced),
    nodes.map(([name]) => `${name}:22080`),
  );
  const known = named(read('haproxy.cfg').replaceAll(/^\s*#.*$/gm, ''), /\$\{(\w+)\}/g);
  assert.deepEqual([...known].sort(), ['PARLEY_BIND', 'PARLEY_CERTIFICATE', ...Object.keys(balanced)].sort());
  const image = readFileSync(path.join(kRoot, 'deploy/Containerfile'), 'utf8');
  assert.match(image, /^VOLUME \/var\/lib\/parley$/m);
  assert.match(image, /"--listen", "0\.0\.0\.0:22080", "--allow-plain"\]$/m);
});

test('files and secrets of the Compose file are there', () => {
  const made = read('compose/secrets.sh');
  for (const [name, { file }] of Object.entries(compose.secrets)) {
    assert.equal(file, `./secrets/${name}`);
    const is_made = made.includes(`secrets/${name}`) || new RegExp(`in .*\\b${name.split('_')[0]}\\b.*; do`).test(made);
    assert.ok(is_made, name);
  }
  for (const [name, service] of Object.entries(compose.services)) {
    for (const secret of service.secrets ?? []) assert.ok(secret in compose.secrets, `${name}: ${secret}`);
    const networks = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks);
    for (const network of networks) assert.ok(network in compose.networks, `${name}: ${network}`);
    for (const volume of service.volumes) {
      const [source] = volume.split(':');
      if (source.startsWith('.')) assert.ok(existsSync(path.join(kFolder, source)), source);
      else assert.ok(source in compose.volumes, source);
    }
    for (const other of Object.keys(service.depends_on ?? {}))
      if (!Array.isArray(service.depends_on)) assert.ok(other in compose.services, other);
  }
});

test('Kubernetes objects fit together', () => {
  const labels = pod.metadata.labels;
  const selectors = [
    workload.spec.selector.matchLabels,
    ...ofKind('PodDisruptionBudget').map((each) => each.spec.selector.matchLabels),
    ...ofKind('NetworkPolicy').flatMap(({ spec }) => [
      spec.podSelector.matchLabels,
      ...spec.ingress.flatMap((rule) => (rule.from ?? []).map((from) => from.podSelector.matchLabels)),
    ]),
    ...ofKind('Service').flatMap((each) => (each.spec.selector ? [each.spec.selector] : [])),
    ...pod.spec.topologySpreadConstraints.map((each) => each.labelSelector.matchLabels),
  ];
  for (const selector of selectors) assert.deepEqual(selector, labels);
  const ports = Object.fromEntries(container.ports.map((port) => [port.name, port.containerPort]));
  const value = (name) => container.env.find((each) => each.name === name).value;
  assert.equal(value('PARLEY_LISTEN'), `0.0.0.0:${ports.http}`);
  assert.equal(value('PARLEY_CLUSTER_LISTEN'), `$(POD_IP):${ports.link}`);
  for (const service of ofKind('Service').filter((each) => each.spec.selector))
    for (const port of service.spec.ports) assert.ok(port.targetPort in ports, port.targetPort);
  const headless = ofKind('Service').find((each) => each.metadata.name === workload.spec.serviceName);
  assert.equal(headless.spec.clusterIP, 'None');
  const mounted = container.volumeMounts.map((mount) => mount.name);
  assert.deepEqual(
    mounted,
    pod.spec.volumes.map((volume) => volume.name),
  );
  const mount = container.volumeMounts.find((each) => each.name === 'data').mountPath;
  assert.equal(
    path.dirname(value('PARLEY_DATA')),
    mount,
    'the folder of a volume belongs to root, which a node refuses',
  );
});

test('the link port of Kubernetes is for nodes alone', () => {
  const { ingress } = only(ofKind('NetworkPolicy')).spec;
  const link = only(ingress.filter((rule) => rule.ports.some((port) => port.port === 'link')));
  assert.deepEqual(link.ports, [{ port: 'link' }]);
  assert.deepEqual(link.from, [{ podSelector: { matchLabels: pod.metadata.labels } }]);
});

test('what the manifests name is made', () => {
  const files = kManifests.filter(
    (name) => !['kustomization.yaml', 'ingress.yaml', 'secret.example.yaml'].includes(name),
  );
  assert.deepEqual(kustomization.resources.toSorted(), files.toSorted());
  assert.ok(kustomization.images.some((image) => image.name === container.image));
  for (const { configMapRef } of container.envFrom)
    assert.ok(kustomization.configMapGenerator.some((map) => map.name === configMapRef.name));
  const { secretKeyRef } = container.env.find((each) => each.name === 'PARLEY_STORE_URL').valueFrom;
  const secret = only(ofKind('Secret'));
  assert.equal(secret.metadata.name, secretKeyRef.name);
  assert.ok(secretKeyRef.key in secret.stringData);
  const ingress = only(ofKind('Ingress'));
  const url = kustomization.configMapGenerator[0].literals.find((each) => each.startsWith('PARLEY_PUBLIC_URL='));
  const host = new URL(url.split('=')[1]).host;
  assert.equal(only(ingress.spec.rules).host, host);
  assert.deepEqual(only(ingress.spec.tls).hosts, [host]);
  for (const { backend } of ingress.spec.rules[0].http.paths) {
    const service = ofKind('Service').find((each) => each.metadata.name === backend.service.name);
    assert.ok(service.spec.ports.some((port) => port.name === backend.service.port.name));
  }
});
