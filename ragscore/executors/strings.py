"""What executors tell the user, in both languages."""

from __future__ import annotations

from ragscore.strings import StringTable

STRINGS = StringTable(
    {
        "does_alone": {
            "en": "this process does everything itself, since no other can be given it: {why}",
            "ko": "작업을 다른 프로세스에 넘길 수 없어 이 프로세스가 모두 합니다: {why}",
        },
        "processes_died": {
            "en": "{count} of {n} processes died; this process does what they left undone. The "
            "first: {how}",
            "ko": "프로세스 {n}개 중 {count}개가 죽어 남은 작업을 이 프로세스가 합니다. 첫 번째: "
            "{how}",
        },
        "worker_died": {
            "en": "a worker on the node {node} died over {task}, which another worker does again",
            "ko": "노드 {node}의 작업자가 {task} 작업 중에 종료되어 다른 작업자가 다시 합니다",
        },
        "node_gone": {
            "en": "the node {node} is left out, since no worker can begin on it: {why}",
            "ko": "노드 {node}에서 작업자를 시작할 수 없어 제외합니다: {why}",
        },
        "no_room": {
            "en": "the cluster has no room for a worker yet, and the run waits for it",
            "ko": "클러스터에 아직 작업자를 둘 자리가 없어 기다립니다",
        },
    }
)
