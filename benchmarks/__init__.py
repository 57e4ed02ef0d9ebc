"""Measurements that are printed and never fail a test."""
