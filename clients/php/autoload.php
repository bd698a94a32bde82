<?php

declare(strict_types=1);

// For programs without composer: require 'path/to/autoload.php';

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Hourkeep\\')) {
        $file = __DIR__ . '/src/' . str_replace('\\', '/', substr($class, strlen('Hourkeep\\'))) . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});

require_once __DIR__ . '/src/functions.php';
